import type { DataSource } from 'typeorm';
import { ExportReader, payloadOf, skip } from './export-reader.js';
import type { MoveReport } from './export.js';
import { RefusedExport, type ExportTotals } from './format.js';
import { movedTables, schemaOf } from './moved-tables.js';
import {
  receivingTenants,
  requireEmpty,
  requireSchema,
  type RestoredTenant,
  type RestoreOptions,
} from './receiving-tenants.js';
import { restoreName } from './restore-progress.js';
import { RestoredRows } from './restored-rows.js';
import type { Row } from './row-schema.js';

interface PlannedKey {
  readonly id: string;
  readonly name: string;
  /** Text form of the permissions, such as `{read,query}`. */
  readonly permissions: string;
  readonly endUserId: string | null;
}

export interface PlannedTenant {
  readonly appId: string;
  readonly shards: number;
  /** Number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly files: number;
  readonly fileBytes: number;
  readonly keys: readonly PlannedKey[];
}

export interface RestorePlan {
  readonly tenants: readonly PlannedTenant[];
  readonly totals: ExportTotals;
}

interface PlannedContent {
  readonly rows: Record<string, number>;
  files: number;
  fileBytes: number;
  readonly keys: PlannedKey[];
}

/**
 * Reads a whole export as a restore would read it, and writes nothing.
 *
 * @param dataSource need not be migrated, but only a migrated database checks the types of values
 * @param schema name of the last migration of this version
 * @returns what a restore would write
 * @throws DamagedExport; RefusedExport; StartRefused when the installation cannot take the export.
 */
export async function planRestore(
  source: AsyncIterable<Buffer>,
  {
    dataSource,
    schema,
    bucket,
  }: { readonly dataSource: DataSource; readonly schema: string; readonly bucket: string },
  options: RestoreOptions,
  report: MoveReport,
): Promise<RestorePlan> {
  const reader = new ExportReader(source);
  const header = await reader.header();
  requireSchema(header, schema);
  const database = (await schemaOf(dataSource)) === schema ? dataSource : null;
  const tenants = await receivingTenants(database, header, options, bucket);
  const tables = movedTables(dataSource);
  if (database !== null && !options.replace && !(await isUnfinished(database, header.id))) {
    await requireEmpty(database, tables, tenants);
  }
  const rows = new RestoredRows(dataSource, new Map(tenants.map((tenant) => [tenant.source, tenant])));
  const contents = new Map(tenants.map((tenant) => [tenant.appId, emptyContent()]));
  for await (const section of reader.sections()) {
    const { head } = section;
    if ('file' in head) {
      const { appId, objects } = tenantOfFile(tenants, head.file.appId);
      objects.key(head.file.key);
      const content = contents.get(appId);
      if (content !== undefined) {
        content.files += 1;
        content.fileBytes += head.bytes;
      }
      await skip(section);
    } else {
      const checked = await rows.check(database, head.rows, await payloadOf(section));
      for (const { appId, row } of checked) addRow(contents.get(appId), head.rows.table, row);
    }
    report(head.section, 'checked');
  }
  return {
    tenants: tenants.map(({ appId, shards }) => ({
      appId,
      shards,
      ...(contents.get(appId) ?? emptyContent()),
    })),
    totals: reader.totals,
  };
}

/** @throws RefusedExport for a tenant that the export does not list */
export function tenantOfFile(tenants: readonly RestoredTenant[], appId: string): RestoredTenant {
  const tenant = tenants.find(({ source }) => source === appId);
  if (tenant === undefined) throw new RefusedExport('it has a file of a tenant that it does not list');
  return tenant;
}

/** Whether an interrupted restore of the export has already written some of its rows. */
async function isUnfinished(database: DataSource, id: string): Promise<boolean> {
  const rows = await database.query<unknown[]>('select from service_state where name = $1', [
    restoreName(id),
  ]);
  return rows.length > 0;
}

function addRow(content: PlannedContent | undefined, table: string, row: Row): void {
  if (content === undefined) return;
  content.rows[table] = (content.rows[table] ?? 0) + 1;
  if (table !== 'api_keys') return;
  const { jti, name, permissions, end_user_id: endUserId = null } = row;
  content.keys.push({ id: jti ?? '', name: name ?? '', permissions: permissions ?? '{}', endUserId });
}

function emptyContent(): PlannedContent {
  return { rows: {}, files: 0, fileBytes: 0, keys: [] };
}
