import sql from 'sql-template-tag';
import type { Scope } from '../auth/scope.js';
import { run, type Queryable } from '../database/run.js';

/**
 * Returns the groups of people, as their keys act with them. Omits people without groups. Groups that only an access token
 * or a request of an application names are unknown.
 */
export async function groupsOf(
  database: Queryable,
  { appId }: Pick<Scope, 'appId'>,
  people: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await run<{ person: string; groups: string[] }>(
    database,
    sql`select g.person, array_agg(distinct g.name) as groups
        from (select m.end_user_id as person, m.group_id as name from group_members m
              where m.app_id = ${appId} and m.end_user_id = any(${people}::text[])
              union all
              select k.end_user_id, unnest(o.groups)
              from provider_accounts o join api_keys k on k.app_id = o.app_id and k.jti = o.key_id
              where o.app_id = ${appId} and k.app_id = ${appId} and k.end_user_id = any(${people}::text[])) g
        group by g.person`,
  );
  return new Map(rows.map(({ person, groups }) => [person, groups]));
}
