import sql, { raw } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { shardIds, tenantOf } from '../../src/auth/scope.js';
import { run } from '../../src/database/run.js';
import { tenantTables } from '../../src/database/tenant-tables.js';
import { objectKey } from '../../src/storage/object-key.js';
import type { ExportHeader } from './format.js';
import type { RestoredTenant } from './receiving-tenants.js';

/** Tables that a replacement leaves: keys and webhooks of this installation go on working, and its log is its own. */
const KEPT = ['api_keys', 'operation_log', 'webhooks'];

/** Name under which `service_state` stores whose files are left of the replaced tenants. */
function replacedName({ id }: ExportHeader): string {
  return `replaced:${id}`;
}

/**
 * Deletes the rows of tenants that a restore replaces, in the transaction that begins the restore. The files stay until
 * its end, because an export of the same tenant has most of them under the same keys.
 */
export async function emptyTenants(
  manager: EntityManager,
  dataSource: DataSource,
  header: ExportHeader,
  tenants: readonly RestoredTenant[],
): Promise<void> {
  const ids = tenants.flatMap(shardIds);
  const owners = await run<{ appId: string; id: string }>(
    manager,
    sql`select app_id as "appId", external_id as id from documents where app_id = any(${ids}::text[])
        union all select app_id, file_id from files where app_id = any(${ids}::text[])`,
  );
  await run(
    manager,
    sql`insert into service_state (name, value) values (${replacedName(header)}, ${JSON.stringify(owners)}::jsonb)
        on conflict (name) do update set value = excluded.value`,
  );
  for (const table of tenantTables(dataSource).filter((name) => !KEPT.includes(name))) {
    await run(manager, sql`delete from ${raw(table)} where app_id = any(${ids}::text[])`);
  }
}

/** Lets the next sweep of the service delete the files of replaced documents that the restore has not brought back. */
export async function removeReplacedFiles(manager: EntityManager, header: ExportHeader): Promise<void> {
  const gone = await run<{ appId: string; id: string }>(
    manager,
    sql`with replaced as (
          select o ->> 'appId' as app_id, (o ->> 'id')::uuid as id
          from service_state s cross join lateral jsonb_array_elements(s.value) o where s.name = ${replacedName(header)})
        select distinct r.app_id as "appId", r.id::text as id from replaced r
        where not exists (select d.app_id from documents d where d.app_id = r.app_id and d.external_id = r.id)
          and not exists (select f.app_id from files f where f.app_id = r.app_id and f.file_id = r.id)`,
  );
  const prefixes = gone.map(({ appId, id }) => ({
    appId: tenantOf(appId),
    key: `${objectKey(tenantOf(appId), id)}/`,
  }));
  await run(
    manager,
    sql`insert into object_removals (app_id, key, due_at)
        select p.app_id, p.key, clock_timestamp()
        from unnest(${prefixes.map(({ appId }) => appId)}::text[], ${prefixes.map(({ key }) => key)}::text[])
          as p (app_id, key)
        on conflict (app_id, key) do update set due_at = excluded.due_at`,
  );
  await run(manager, sql`delete from service_state where name = ${replacedName(header)}`);
}
