import sql, { raw, type Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { shardIds, tenantOf } from '../../src/auth/scope.js';
import { run } from '../../src/database/run.js';
import { TENANT_TABLES } from '../../src/database/tenant-tables.js';
import { check, type Check } from './check.js';
import { Collected } from './found.js';

interface LostTenant {
  readonly appId: string;
  readonly table: string;
  readonly rows: number;
}

/**
 * Tables whose rows may outlive their tenant. Tombstones remain until the files are deleted. The audit log remains
 * permanently.
 */
const MAY_OUTLIVE = ['apps', 'audit_log', 'audit_seals', 'object_removals'];

/** A removal that takes longer than this has failed. */
const REMOVED_WITHIN = raw(`interval '1 hour'`);

/** Checks that each row belongs to a tenant, and that removals of tenants are completed. */
export const TENANT_CHECKS: readonly Check[] = [
  check<LostTenant>({
    name: 'rows without a tenant',
    rule: 'Every row belongs to an existing tenant or tenant shard',
    remedy: 'Restore the tenant under its id with its keys revoked; delete derived rows',
    async find({ dataSource }, _, limit) {
      const found = new Collected<LostTenant>(limit);
      for (const table of Object.keys(TENANT_TABLES).filter((name) => !MAY_OUTLIVE.includes(name))) {
        for (const lost of await run<LostTenant>(dataSource, withoutTenant(table))) found.add(lost);
      }
      return found;
    },
    describe: ({ appId, table, rows }) => `${printable(appId)}: ${rows} rows of ${table}`,
    async repair({ dataSource }, _, damages) {
      const isComputed = ({ table }: LostTenant): boolean => COMPUTED.includes(table);
      const restored = new Set(damages.filter((one) => !isComputed(one)).map(({ appId }) => appId));
      await restoreTenants(dataSource, [...restored]);
      for (const { appId, table } of damages.filter(isComputed)) {
        if (!restored.has(appId)) {
          await run(dataSource, sql`delete from ${raw(table)} where app_id = ${appId}`);
        }
      }
    },
  }),
  check<{ readonly appId: string; readonly since: Date }>({
    name: 'removals of tenants',
    rule: 'The data of a deleted tenant is gone within an hour',
    remedy: 'See the log of the service; a process with WORKER=inline or WORKER=only retries the removal',
    statement: () =>
      sql`select app_id as "appId", removing_since as since from apps
              where removing_since < statement_timestamp() - ${REMOVED_WITHIN} order by removing_since`,
    describe: ({ appId, since }) => `${printable(appId)}, deleted ${since.toISOString()}`,
  }),
];

/** Tables with derived rows, logs and counters. */
const COMPUTED = ['term_stats', 'corpus_stats', 'operation_log', 'rate_limits', 'ingestion_turns'];

function withoutTenant(table: string): Sql {
  return sql`select t.app_id as "appId", ${table} as table, count(*)::integer as rows from ${raw(table)} t
    where not exists (select 1 from apps a where a.app_id = t.app_id) group by t.app_id`;
}

/** Restores tenants and the number of their shards. Revokes the keys of these tenants, so that nobody gets access. */
async function restoreTenants(dataSource: DataSource, appIds: readonly string[]): Promise<void> {
  for (const tenant of new Set(appIds.map(tenantOf))) {
    const highest = appIds
      .filter((id) => tenantOf(id) === tenant)
      .map((id) => Number(id.split('\u001f')[1] ?? 0));
    await dataSource.transaction(async (manager) => {
      const shards = Math.max(...highest) + 1;
      const [id = '', ...others] = shardIds({ appId: tenant, shards });
      await run(
        manager,
        sql`insert into apps (app_id, name, shards) values (${id}, ${id}, ${shards})
            on conflict (app_id) do update set shards = greatest(apps.shards, excluded.shards)`,
      );
      await run(
        manager,
        sql`insert into apps (app_id, name, shards) select s, s, 0 from unnest(${others}::text[]) s on conflict do nothing`,
      );
      await run(
        manager,
        sql`update api_keys set revoked_at = statement_timestamp() where app_id = ${tenant} and revoked_at is null`,
      );
    });
  }
}

function printable(appId: string): string {
  return appId.replace('\u001f', ' part ');
}
