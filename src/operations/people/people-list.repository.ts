import { Injectable } from '@nestjs/common';
import sql, { empty, join, raw, type Sql } from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { groupPrincipal, userPrincipal } from '../../access/principal.js';
import { isOfAccount, WORKS } from '../../auth/key.repository.js';
import { PERMISSIONS, type Scope, shardIds } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { QUESTIONS } from '../logs/operation-log.js';
import type { Named, Person, PersonSelection, Possessions } from './people.types.js';

const ORDERS: Readonly<Record<PersonSelection['order'], Sql>> = {
  name: raw('lower(p.name), p.id'),
  last_active: raw('p."lastActiveAt" desc nulls last, lower(p.name), p.id'),
  questions: raw('p.questions desc, lower(p.name), p.id'),
  since: raw('p.since desc, lower(p.name), p.id'),
};

const STATES: Readonly<Record<PersonSelection['state'], Sql>> = {
  active: raw('p."isActive"'),
  ended: raw('not p."isActive"'),
  all: raw('true'),
};

/** Reads people from the keys of the tenant. */
@Injectable()
export class PeopleListRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns a page of the people that match, and the number of all that match. */
  async page(scope: Scope, selection: PersonSelection): Promise<{ people: Person[]; total: number }> {
    const { skip, limit, order } = selection;
    const rows = await run<Person & { total: number }>(
      this.dataSource,
      sql`select p.*, (count(*) over ())::integer as total from (${this.people(scope)}) p
          where ${join(conditions(selection), ' and ')}
          order by ${ORDERS[order]} offset ${skip} limit ${limit}`,
    );
    const total = rows[0]?.total ?? (skip === 0 ? 0 : await this.count(scope, selection));
    return { people: rows.map(({ total: _total, ...person }) => person), total };
  }

  /** @returns undefined for somebody who never had a key */
  async find(scope: Scope, id: string): Promise<Person | undefined> {
    const [person] = await run<Person>(this.dataSource, this.people(scope, sql` and k.end_user_id = ${id}`));
    return person;
  }

  /** Returns which of the ids are those of people with a working key. */
  async active(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await run<{ id: string }>(
      this.dataSource,
      sql`select distinct k.end_user_id as id from api_keys k
          where k.app_id = ${scope.appId} and k.end_user_id = any(${ids}::text[]) and ${WORKS}`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Counts what people own. People without possessions have no entry. */
  async possessions(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, Possessions>> {
    if (ids.length === 0) return new Map();
    const shards = shardIds(scope);
    const [documents, chats] = await Promise.all([
      run<{ id: string; number: number }>(
        this.dataSource,
        sql`select d.end_user_id as id, count(*)::integer as number from documents d
            where d.app_id = any(${shards}::text[]) and d.end_user_id = any(${ids}::text[]) group by 1`,
      ),
      run<{ owner: string; number: number }>(
        this.dataSource,
        sql`select c.owner, count(*)::integer as number from conversations c
            where c.app_id = ${scope.appId} and c.kind = 'chat' and c.owner = any(${ids.map(userPrincipal)}::text[]) group by 1`,
      ),
    ]);
    const ofDocuments = new Map(documents.map(({ id, number }) => [id, number]));
    const ofChats = new Map(chats.map(({ owner, number }) => [owner, number]));
    return new Map(
      ids.map((id) => [
        id,
        { documents: ofDocuments.get(id) ?? 0, chats: ofChats.get(userPrincipal(id)) ?? 0 },
      ]),
    );
  }

  /**
   * Returns active people and groups whose name, id or detail matches a text, those whose name begins with it first.
   */
  async named(scope: Scope, query: string, limit: number): Promise<Named[]> {
    return run<Named>(
      this.dataSource,
      sql`select n.id, n.name, n.detail, n.provided from (${this.names(scope)}) n
          where ${matches(sql`concat_ws(' ', n.name, n.bare, n.detail)`, query)}
          order by starts_with(lower(n.name), lower(${query})) desc, lower(n.name), n.id limit ${limit}`,
    );
  }

  /** Returns the names of people, with or without a working key, and of groups. @param principals `user:ID`, `group:ID` */
  async namesOf(scope: Scope, principals: readonly string[]): Promise<Named[]> {
    return run<Named>(
      this.dataSource,
      sql`select n.id, n.name, n.detail, n.provided from (${this.names(scope, sql`true`)}) n
          where n.id = any(${principals}::text[]) order by n.id`,
    );
  }

  private async count(scope: Scope, selection: PersonSelection): Promise<number> {
    const [row] = await run<{ total: number }>(
      this.dataSource,
      sql`select count(*)::integer as total from (${this.people(scope)}) p
          where ${join(conditions(selection), ' and ')}`,
    );
    return row?.total ?? 0;
  }

  /**
   * Names of people and groups. Of the groups that an identity provider names, those of the caller and of people who have
   * signed in are known.
   */
  private names({ appId, groups }: Scope, which: Sql = WORKS): Sql {
    return sql`select ${userPrincipal('')} || k.end_user_id as id, k.end_user_id as bare,
            (array_agg(k.name order by (${WORKS}) desc, k.created_at))[1] as name, max(o.detail) as detail, false as provided
          from api_keys k left join provider_accounts o on o.app_id = ${appId} and o.key_id = k.jti
          where k.app_id = ${appId} and k.end_user_id is not null and ${which} group by k.end_user_id
          union all
          select ${groupPrincipal('')} || g.group_id, g.group_id, coalesce(g.name, g.group_id), null, false
          from groups g where g.app_id = ${appId}
          union all
          select ${groupPrincipal('')} || e.name, e.name, e.name, null, true
          from (select unnest(${groups}::text[]) as name
                union select unnest(o.groups) from provider_accounts o
                join api_keys k on k.app_id = o.app_id and k.jti = o.key_id
                where o.app_id = ${appId} and k.app_id = ${appId} and ${which}) e
          where not exists (select from groups g where g.app_id = ${appId} and g.group_id = e.name)`;
  }

  private people({ appId }: Scope, condition: Sql = empty): Sql {
    const permissions = PERMISSIONS.map(
      (name) => sql`case when bool_or(${name} = any(k.permissions) and ${WORKS}) then ${name}::text end`,
    );
    return sql`select k.end_user_id as id,
            (array_agg(k.name order by (${WORKS}) desc, k.created_at))[1] as name,
            array_remove(array[${join(permissions)}], null) as permissions,
            array(select m.group_id from group_members m
                  where m.app_id = ${appId} and m.end_user_id = k.end_user_id
                  union select unnest(o.groups) from provider_accounts o
                  join api_keys a on a.app_id = o.app_id and a.jti = o.key_id
                  where o.app_id = ${appId} and a.end_user_id = k.end_user_id order by 1) as groups,
            (select max(o.detail) from provider_accounts o
             join api_keys a on a.app_id = o.app_id and a.jti = o.key_id
             where o.app_id = ${appId} and a.end_user_id = k.end_user_id) as detail,
            bool_or(${WORKS}) as "isActive",
            bool_or(${isOfAccount(appId, sql`k.jti`)}) as "signsInElsewhere",
            bool_or(${WORKS} and exists (select from provider_accounts o
                                         where o.app_id = ${appId} and o.key_id = k.jti and o.is_admin)) as "isAdminElsewhere",
            min(k.created_at) as since, max(k.last_used_at) as "lastActiveAt",
            coalesce(sum(l.questions), 0)::integer as questions
          from api_keys k
          left join (select key_id, count(*) as questions from operation_log
                     where app_id = ${appId} and operation_type = any(${QUESTIONS}::text[]) group by 1) l
            on l.key_id = k.jti::text
          where k.app_id = ${appId} and k.end_user_id is not null${condition}
          group by k.end_user_id`;
  }
}

function conditions({ query, permission, group, state }: PersonSelection): [Sql, ...Sql[]] {
  return [
    STATES[state],
    ...(query === null ? [] : [matches(sql`concat_ws(' ', p.name, p.id, p.detail)`, query)]),
    ...(permission === null ? [] : [sql`p.permissions && array[${permission}, 'admin']::text[]`]),
    ...(group === null ? [] : [sql`${group} = any(p.groups)`]),
  ];
}

/** Combining accents: `é` is `e` and one of these in the normal form NFKD. */
const ACCENTS = String.raw`[\u0300-\u036f]+`;

/**
 * The condition that a text contains a query, or that each word of the query begins a word of the text, in any order; in
 * any case, with or without accents.
 */
function matches(text: Sql, query: string): Sql {
  const plain = sql`regexp_replace(normalize(lower(${text}), NFKD), ${ACCENTS}, '', 'g')`;
  const asked = query.toLowerCase().normalize('NFKD').replace(new RegExp(ACCENTS, 'g'), '');
  const words = asked.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
  const whole = sql`position(${asked} in ${plain}) > 0`;
  if (words.length === 0) return whole;
  const separated = sql`' ' || regexp_replace(${plain}, '[^[:alnum:]]+', ' ', 'g')`;
  // One comparison with all words, so that the text is prepared once. Words have no wildcards.
  return sql`(${whole} or ${separated} like all (${words.map((word) => `% ${word}%`)}::text[]))`;
}
