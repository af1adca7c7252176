import sql, { raw } from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { shardIds } from '../../src/auth/scope.js';
import { run, type Queryable } from '../../src/database/run.js';
import { StartRefused } from '../../src/errors/index.js';
import type { ExportHeader, MovedTenant } from './format.js';
import type { MovedTable } from './moved-tables.js';
import { ObjectMove } from './stored-objects.js';

export interface RestoreOptions {
  /** Id of the tenant that receives the only tenant of the export; null for the id in the export. */
  readonly into: string | null;
  /** Number of shards for tenants that do not exist yet; null for the number in the export. */
  readonly shards: number | null;
  /** Whether the data of existing tenants is deleted first. */
  readonly replace: boolean;
}

/** The tenant that receives the rows of an exported tenant. */
export interface RestoredTenant {
  readonly source: string;
  readonly appId: string;
  readonly shards: number;
  readonly objects: ObjectMove;
}

/**
 * Tables in which the receiving tenant may already have rows. A fresh installation has such rows. The other tables must
 * contain none.
 */
const MAY_HAVE_ROWS = ['api_keys', 'idempotency_keys', 'operation_log'];

/** @param own schema of the installation; null if it has none @throws StartRefused for an export with another schema */
export function requireSchema({ schema, version }: ExportHeader, own: string | null): void {
  if (schema === own) return;
  throw new StartRefused(
    `The export has the schema ${schema} of Lectern ${version}, and this version has ${own ?? 'none'}: restore with that version and then migrate, or migrate the original and export again`,
  );
}

/**
 * Returns the tenants that receive the export.
 * @param database a migrated database; null for an installation without one
 * @throws StartRefused if one of them cannot receive the export.
 */
export async function receivingTenants(
  database: Queryable | null,
  { tenants }: ExportHeader,
  options: RestoreOptions,
  bucket: string,
): Promise<RestoredTenant[]> {
  const { into } = options;
  if (into !== null && tenants.length !== 1) {
    throw new StartRefused(`--into needs an export of one tenant; this one has ${tenants.length}`);
  }
  const found =
    database === null
      ? []
      : await run<{ appId: string; shards: number; isGoing: boolean }>(
          database,
          sql`select app_id as "appId", shards, removing_since is not null as "isGoing" from apps
              where shards > 0 and app_id = any(${tenants.map(({ appId }) => into ?? appId)}::text[])`,
        );
  return tenants.map(({ appId: source, shards: former }) => {
    const appId = into ?? source;
    const known = found.find((one) => one.appId === appId);
    const shards = options.shards ?? known?.shards ?? former;
    if (known?.isGoing === true) throw new StartRefused(`The tenant "${appId}" is being deleted`);
    if (known !== undefined && known.shards !== shards) {
      throw new StartRefused(
        `The tenant "${appId}" exists, and its number of shards (${known.shards}) cannot change`,
      );
    }
    return { source, appId, shards, objects: new ObjectMove(source, appId, bucket) };
  });
}

/** @throws StartRefused if a tenant has rows that the restored rows would mix with */
export async function requireEmpty(
  database: Queryable,
  tables: readonly MovedTable[],
  tenants: readonly RestoredTenant[],
): Promise<void> {
  const names = tables.map(({ name }) => name).filter((name) => !MAY_HAVE_ROWS.includes(name));
  for (const tenant of tenants) {
    for (const table of names) {
      const rows = await run(
        database,
        sql`select 1 from ${raw(table)} where app_id = any(${shardIds(tenant)}::text[]) limit 1`,
      );
      if (rows.length > 0) {
        throw new StartRefused(
          `The tenant "${tenant.appId}" is not empty (it has ${table.replaceAll('_', ' ')}): replace its data with --replace, or restore into another tenant with --into`,
        );
      }
    }
  }
}

/** Creates a tenant unless it exists. @throws StartRefused if another tenant has its name */
export async function createTenant(
  manager: EntityManager,
  moved: MovedTenant | undefined,
  tenant: RestoredTenant,
): Promise<void> {
  if (moved === undefined) return;
  const [id = '', ...others] = shardIds(tenant);
  const name = tenant.appId === tenant.source ? moved.name : tenant.appId;
  const known = await run<{ appId: string }>(
    manager,
    sql`select app_id as "appId" from apps where app_id = ${id} or name = ${name} order by app_id = ${id} desc`,
  );
  if (known[0]?.appId === id) return;
  if (known[0] !== undefined) {
    throw new StartRefused(
      `Another tenant has the name "${name}": rename it, or restore with --into another id`,
    );
  }
  await run(
    manager,
    sql`insert into apps (app_id, name, shards, created_at, token_version)
        values (${id}, ${name}, ${tenant.shards}, ${moved.createdAt}::timestamptz, ${moved.tokenVersion})`,
  );
  await run(
    manager,
    sql`insert into apps (app_id, name, shards) select s.id, s.id, 0 from unnest(${others}::text[]) as s(id)`,
  );
}
