import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { paths } from './schema.js';
import type {
  CallOptions,
  ChangePersonRequest,
  Group,
  InvitedPeople,
  InvitePeopleRequest,
  NamedPrincipal,
  PeoplePage,
  Person,
  RemovedPerson,
  Success,
} from './types.js';

export type PeopleListOptions = CallOptions & NonNullable<paths['/people']['get']['parameters']['query']>;

export type RemovePersonOptions = CallOptions &
  NonNullable<paths['/people/{person_id}']['delete']['parameters']['query']>;

/** The people of a tenant and their groups, for administrators; their names, for everybody. */
export class People {
  constructor(private readonly raw: Client<paths>) {}

  /** Returns a page of the people that match, by default the first 50 by name. */
  list({ signal, ...query }: PeopleListOptions = {}): Promise<PeoplePage> {
    return answered(this.raw.GET('/people', { params: { query }, signal: signal ?? null }));
  }

  get(id: string, { signal }: CallOptions = {}): Promise<Person> {
    return answered(this.raw.GET('/people/{person_id}', { ...at(id), signal: signal ?? null }));
  }

  /** Makes a sign-in link for each person: for all of them, or for none. */
  invite(request: InvitePeopleRequest, { signal }: CallOptions = {}): Promise<InvitedPeople> {
    return answered(this.raw.POST('/people', { body: request, signal: signal ?? null }));
  }

  /** Changes name, permissions and groups. What is left out stays. */
  change(id: string, body: ChangePersonRequest, { signal }: CallOptions = {}): Promise<Person> {
    return answered(this.raw.PATCH('/people/{person_id}', { ...at(id), body, signal: signal ?? null }));
  }

  /** Ends the access of a person; by default keeps the documents and chats. Can be repeated after an interruption. */
  remove(id: string, { signal, ...query }: RemovePersonOptions = {}): Promise<RemovedPerson> {
    const params = { ...at(id).params, query };
    return answered(this.raw.DELETE('/people/{person_id}', { params, signal: signal ?? null }));
  }

  /** JSON lines with everything that the service stores of a person. */
  async export(id: string, { signal }: CallOptions = {}): Promise<Blob> {
    return answered(
      this.raw.GET('/people/{person_id}/export', { ...at(id), parseAs: 'blob', signal: signal ?? null }),
    );
  }

  /** Finds active people and groups by a part of their name or id. */
  search(
    q: string,
    { signal, ...query }: CallOptions & { readonly limit?: number } = {},
  ): Promise<NamedPrincipal[]> {
    return answered(
      this.raw.GET('/directory', { params: { query: { q, ...query } }, signal: signal ?? null }),
    );
  }

  /** Returns the names of `user:ID` and `group:ID`. Unknown ones are left out. */
  names(ids: string[], { signal }: CallOptions = {}): Promise<NamedPrincipal[]> {
    return answered(this.raw.GET('/directory', { params: { query: { ids } }, signal: signal ?? null }));
  }

  groups({ signal }: CallOptions = {}): Promise<Group[]> {
    return answered(this.raw.GET('/groups', { signal: signal ?? null }));
  }

  createGroup(id: string, name: string | null = null, { signal }: CallOptions = {}): Promise<Group> {
    return answered(this.raw.POST('/groups', { body: { id, name }, signal: signal ?? null }));
  }

  /** Gives a group another name. Its id, its members and what is shared with it stay. */
  renameGroup(id: string, name: string | null, { signal }: CallOptions = {}): Promise<Group> {
    const params = { path: { group_id: id } };
    return answered(this.raw.PATCH('/groups/{group_id}', { params, body: { name }, signal: signal ?? null }));
  }

  /** Adds people to a group. Those who are members already stay. */
  addMembers(id: string, members: string[], { signal }: CallOptions = {}): Promise<Group> {
    const params = { path: { group_id: id } };
    return answered(
      this.raw.POST('/groups/{group_id}/members', { params, body: { members }, signal: signal ?? null }),
    );
  }

  removeMember(id: string, member: string, { signal }: CallOptions = {}): Promise<Success> {
    const params = { path: { group_id: id, member_id: member } };
    return answered(
      this.raw.DELETE('/groups/{group_id}/members/{member_id}', { params, signal: signal ?? null }),
    );
  }

  deleteGroup(id: string, { signal }: CallOptions = {}): Promise<Success> {
    const params = { path: { group_id: id } };
    return answered(this.raw.DELETE('/groups/{group_id}', { params, signal: signal ?? null }));
  }
}

function at(id: string) {
  return { params: { path: { person_id: id } } };
}
