import sql, { join, raw, type Sql } from 'sql-template-tag';
import type { DataSource, EntityManager } from 'typeorm';
import { scopeOf, shardOf, tenantOf } from '../../auth/scope.js';
import { tenantBits } from '../../lexical/inverted-index.js';
import { run } from '../../database/run.js';
import { StartRefused } from '../../errors/index.js';
import { columnTypes, movedTables, type MovedTable } from './moved-tables.js';
import type { ObjectMove } from './stored-objects.js';

/** The tenant that receives the rows of an exported tenant. */
export interface RestoredTenant {
  readonly source: string;
  readonly appId: string;
  readonly shards: number;
  readonly objects: ObjectMove;
}

/** A row by column names, with the text form of each value. */
type Row = Readonly<Record<string, string | null>>;

/** Inserts exported rows into the tenants that receive them. */
export class RestoredRows {
  private readonly tables: ReadonlyMap<string, MovedTable>;
  private readonly types = new Map<string, ReadonlyMap<string, string>>();

  constructor(
    dataSource: DataSource,
    private readonly tenants: ReadonlyMap<string, RestoredTenant>,
  ) {
    this.tables = new Map(movedTables(dataSource).map((table) => [table.name, table]));
  }

  /** Inserts the rows of a section. Rows that exist already remain unchanged. @param payload lines of JSON arrays */
  async insert(
    manager: EntityManager,
    { table: name, columns }: { readonly table: string; readonly columns: readonly string[] },
    payload: Buffer,
  ): Promise<void> {
    const table = this.tables.get(name);
    if (table === undefined || table.columns.join() !== columns.join()) {
      throw new StartRefused(`The columns of ${name} in the export differ from those of this version`);
    }
    const shards = new Map<string, Row[]>();
    for (const line of payload.toString().split('\n')) {
      if (line === '') continue;
      const values = JSON.parse(line) as (string | null)[];
      const placed = this.place(
        table,
        Object.fromEntries(columns.map((column, at) => [column, values[at] ?? null])),
      );
      if (placed === null) continue;
      const rows = shards.get(placed.shard);
      if (rows === undefined) shards.set(placed.shard, [placed.row]);
      else rows.push(placed.row);
    }
    for (const [shard, rows] of shards) await this.insertInto(manager, table, shard, rows);
  }

  /** Returns the shard of a row, and the row as it is stored in this shard. Returns null if the row is not restored. */
  private place({ name, documentColumn }: MovedTable, row: Row): { shard: string; row: Row } | null {
    const tenant = this.tenants.get(tenantOf(row['app_id'] ?? ''));
    if (tenant === undefined) throw new StartRefused('The export has rows of a tenant that it does not list');
    // A key is not valid in another tenant, because its signature includes the id of its tenant.
    if (name === 'api_keys' && tenant.appId !== tenant.source) return null;
    const { appId, shards, objects } = tenant;
    const documentId = documentColumn === null ? null : (row[documentColumn] ?? null);
    const shard =
      documentId === null ? appId : shardOf(scopeOf(appId, [], 'restore', { shards }), documentId).appId;
    const moved = Object.entries(row).map(
      ([column, text]) => [column, objects.column(name, column, text)] as const,
    );
    return { shard, row: Object.fromEntries(moved) };
  }

  private async insertInto(
    manager: EntityManager,
    { name, columns }: MovedTable,
    shard: string,
    rows: readonly Row[],
  ): Promise<void> {
    const isOther = shard !== tenantOf(shard);
    if (name === 'documents' && isOther) await copyFolders(manager, shard, rows);
    const types = await this.typesOf(manager, name);
    const others = columns.filter((column) => column !== 'app_id');
    const values = others.map((column) => valueOf(name, column, types.get(column) ?? 'text', shard));
    await run(
      manager,
      sql`insert into ${raw(name)} (app_id, ${raw(others.map((column) => `"${column}"`).join(', '))})
          select ${shard}, ${join(values)} from ${recordsOf(rows, others)} on conflict do nothing`,
    );
  }

  private async typesOf(manager: EntityManager, table: string): Promise<ReadonlyMap<string, string>> {
    const known = this.types.get(table) ?? (await columnTypes(manager, table));
    this.types.set(table, known);
    return known;
  }
}

/**
 * Returns a cast of the text form of a value. Keys of the inverted index contain the tenant shard and are therefore
 * changed.
 */
function valueOf(table: string, column: string, type: string, shard: string): Sql {
  const value = raw(`r."${column}"::${type}`);
  if (table !== 'chunks' || column !== 'terms') return value;
  return sql`array(select (k.key & 4294967295) | ${String(tenantBits(shard))}::bigint
                   from unnest(${value}) with ordinality as k(key, position) order by k.position)`;
}

/** Copies folders to a shard, because a document refers to the copy of its folder in the document's shard. */
async function copyFolders(manager: EntityManager, shard: string, rows: readonly Row[]): Promise<void> {
  const columns = ['folder_id', 'folder_path'];
  await run(
    manager,
    sql`insert into folders (app_id, folder_id, path)
        select distinct ${shard}, r.folder_id::uuid, r.folder_path from ${recordsOf(rows, columns)}
        where r.folder_id is not null on conflict do nothing`,
  );
}

function recordsOf(rows: readonly Row[], columns: readonly string[]): Sql {
  const typed = columns.map((column) => `"${column}" text`).join(', ');
  const only = rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));
  return sql`json_to_recordset(${JSON.stringify(only)}::json) as r(${raw(typed)})`;
}
