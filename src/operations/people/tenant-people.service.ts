import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { GroupRepository } from '../../access/group.repository.js';
import { HandOuts } from '../../access/hand-outs.js';
import { groupPrincipal, userPrincipal } from '../../access/principal.js';
import { KeyRepository } from '../../auth/key.repository.js';
import { KeyService } from '../../auth/key.service.js';
import { PeopleRepository } from '../../auth/people/people.repository.js';
import type { Permission, Scope } from '../../auth/scope.js';
import { type SignInCode, SignInService } from '../../auth/sign-in.service.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Conflict, Invalid, NotFound } from '../../errors/index.js';
import { PeopleListRepository } from './people-list.repository.js';
import type { Person, PersonSelection, Possessions } from './people.types.js';

export interface NewPerson {
  readonly name: string;
  readonly id: string;
  readonly permissions: readonly Permission[];
  readonly groups: readonly string[];
}

export interface InvitedPerson extends SignInCode {
  readonly name: string;
}

/** What changes of a person; null: it stays. */
export interface PersonChange {
  readonly name: string | null;
  readonly permissions: readonly Permission[] | null;
  readonly groups: readonly string[] | null;
  /** Whether a person whose access ended signs in again at the identity provider. */
  readonly isRestored: boolean;
}

/** A person, and what they own; undefined if the caller may not know it. */
export interface ShownPerson {
  readonly person: Person;
  readonly owned: Possessions | undefined;
}

/** People of a tenant: whoever has, or had, a key with an end user. */
@Injectable()
export class TenantPeopleService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly people: PeopleListRepository,
    private readonly keys: KeyRepository,
    private readonly accounts: PeopleRepository,
    private readonly keyService: KeyService,
    private readonly signIns: SignInService,
    private readonly groups: GroupRepository,
    private readonly handOuts: HandOuts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async page(scope: Scope, selection: PersonSelection): Promise<{ people: ShownPerson[]; total: number }> {
    const { people, total } = await this.people.page(scope, selection);
    const owned = await this.owned(
      scope,
      people.map(({ id }) => id),
    );
    return { people: people.map((person) => ({ person, owned: owned.get(person.id) })), total };
  }

  /** @throws NotFound for somebody who never had a key */
  async find(scope: Scope, id: string): Promise<ShownPerson> {
    const person = await this.people.find(scope, id);
    if (person === undefined) throw personNotFound();
    return { person, owned: (await this.owned(scope, [id])).get(id) };
  }

  /**
   * Makes a key and a sign-in link for each person, and adds them to their groups: for all of them, or for none.
   * @throws Invalid for somebody who is named twice; Conflict for people who have a working key; NotFound for an unknown
   * group; Forbidden if the caller may not hand out what a person reads
   */
  async invite(
    scope: Scope,
    people: readonly NewPerson[],
    lifetimeSeconds: number,
  ): Promise<InvitedPerson[]> {
    const ids = people.map(({ id }) => id);
    const twice = ids.findIndex((id, index) => ids.indexOf(id) < index);
    if (twice >= 0) {
      throw Invalid.at(['body', 'people', twice, 'end_user_id'], 'Value error, the person is named twice');
    }
    for (const id of ids) await this.handOuts.require(scope, userPrincipal(id));
    await this.requireGroups(scope, new Set(people.flatMap(({ groups }) => groups)));
    const active = await this.people.active(scope, ids);
    if (active.size > 0) throw new Conflict(`These people have access already: ${[...active].join(', ')}`);
    const made = await this.dataSource.transaction(async (manager) => {
      const keys: string[] = [];
      for (const { id, name, permissions, groups } of people) {
        const key = { appId: scope.appId, name, permissions, endUserId: id };
        keys.push((await this.keyService.issue(key, manager)).stored.id);
        for (const group of groups) await this.groups.addTo(manager, scope, group, [id]);
      }
      return keys;
    });
    const invited: InvitedPerson[] = [];
    for (const [index, key] of made.entries()) {
      const code = await this.signIns.codeFor(scope, key, lifetimeSeconds, scope);
      invited.push({ ...code, name: people[index]?.name ?? '' });
    }
    return invited;
  }

  /**
   * Changes the name, the permissions and the groups of a person together, after giving the access back if that is asked.
   * @throws NotFound for a person without a working key, or an unknown group; Conflict if the identity provider decides
   * the name, or makes the person an administrator; Forbidden if the person becomes an administrator or a member and then
   * reads what the caller may not hand out
   */
  async change(
    scope: Scope,
    id: string,
    { name, permissions, groups, isRestored }: PersonChange,
  ): Promise<ShownPerson> {
    let { person } = await this.find(scope, id);
    if (isRestored && !person.isActive) {
      await this.restore(scope, id);
      ({ person } = await this.find(scope, id));
    }
    if (!person.isActive) throw personNotFound();
    if (person.signsInElsewhere && name !== null) {
      throw new Conflict('The identity provider names the person: change the name there');
    }
    // Other roles hand nothing out: the person reads what they read before, and the caller gets no key.
    const isPromoted = permissions?.includes('admin') === true && !person.permissions.includes('admin');
    if (isPromoted) await this.handOuts.require(scope, userPrincipal(id));
    if (groups !== null) await this.requireGroups(scope, new Set(groups), new Set(person.groups));
    await this.dataSource.transaction(async (manager) => {
      if (permissions !== null) await this.changeRole(scope, id, permissions, manager);
      await this.keys.change(scope.appId, person, { name, permissions }, manager);
      if (groups !== null) await this.groups.setOf(manager, scope, id, groups);
    });
    return this.find(scope, id);
  }

  private async changeRole(
    { appId }: Scope,
    id: string,
    permissions: readonly Permission[],
    manager: EntityManager,
  ): Promise<void> {
    const { isAdmin } = await this.accounts.setRole(appId, id, permissions, manager);
    if (isAdmin) {
      throw new Conflict('The identity provider makes the person an administrator: change it there');
    }
  }

  /**
   * Lets a person whose access ended sign in at the identity provider again, with the permissions from before. Nobody but
   * the person gets a key, so the caller hands nothing out, unless it is the role of an administrator.
   * @throws Conflict for a person who signs in by a link; Forbidden if the role is that of an administrator and the person
   * reads what the caller may not hand out
   */
  private async restore(scope: Scope, id: string): Promise<void> {
    const { appId } = scope;
    await this.accounts.alone(appId, async (manager) => {
      const accounts = await this.accounts.endedAccounts(appId, id, manager);
      if (accounts.length === 0) throw new Conflict('The person signs in by a link: invite the person again');
      if (accounts.some(({ role }) => role?.includes('admin') === true)) {
        await this.handOuts.require(scope, userPrincipal(id));
      }
      for (const account of accounts) {
        await this.accounts.addAccount({ appId, ...account }, account, manager);
      }
    });
  }

  /**
   * Ends the keys of a person, and takes them out of all groups. A person who comes with access tokens only never had a
   * key, so a key that is ended at once remembers it.
   * @returns the number of keys
   */
  async end(manager: EntityManager, scope: Scope, id: string): Promise<number> {
    const { appId } = scope;
    const keys = await this.keys.revokeOf(appId, id, manager);
    if (keys === 0) {
      if (this.settings.OIDC_AUDIENCE === undefined) throw personNotFound();
      const key = { appId, id: randomUUID(), name: id, permissions: [], endUserId: id, expiresAt: null };
      await this.keys.insert(key, manager);
      await this.keys.revokeOf(appId, id, manager);
    }
    await this.groups.setOf(manager, scope, id, []);
    return keys;
  }

  /**
   * @param present groups of the person now, which are not handed out
   * @throws NotFound for an unknown group; Forbidden if the caller may not hand out what its members read
   */
  private async requireGroups(
    scope: Scope,
    groups: ReadonlySet<string>,
    present: ReadonlySet<string> = new Set(),
  ): Promise<void> {
    for (const group of groups) {
      await this.groups.get(scope, group);
      if (!present.has(group)) await this.handOuts.require(scope, groupPrincipal(group));
    }
  }

  /** Counts what people own. An administrator who acts for a person must not learn what is private to others. */
  private async owned(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Possessions>> {
    return scope.reach === 'all' ? this.people.possessions(scope, ids) : new Map<string, Possessions>();
  }
}

export function personNotFound(): NotFound {
  return new NotFound('Person not found');
}
