import sql, { join, raw, type Sql } from 'sql-template-tag';
import { QueryFailedError, type DataSource, type EntityManager } from 'typeorm';
import { scopeOf, shardOf, tenantOf } from '../../src/auth/scope.js';
import { tenantBits } from '../../src/lexical/inverted-index.js';
import { run, type Queryable } from '../../src/database/run.js';
import { RefusedExport } from './format.js';
import { columnTypes, movedTables, type MovedTable } from './moved-tables.js';
import type { RestoredTenant } from './receiving-tenants.js';
import { readRows, type Row } from './row-schema.js';

interface RowSection {
  readonly table: string;
  readonly columns: readonly string[];
  readonly count: number;
}

/** SQLSTATE classes of values that a table cannot hold: data exceptions, and violated constraints. */
const UNFIT = /^2[23]/;

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

  /**
   * Inserts the rows of a section. Rows that exist already remain unchanged.
   * @param payload lines of JSON arrays
   * @throws RefusedExport for rows that the table cannot have
   */
  async insert(manager: EntityManager, section: RowSection, payload: Buffer): Promise<void> {
    const table = this.tableOf(section);
    for (const [shard, rows] of this.placed(table, readRows(section, payload))) {
      await fitting(section.table, () => this.insertInto(manager, table, shard, rows));
    }
  }

  /**
   * Checks the rows of a section and writes nothing.
   * @param database a migrated database, whose types the values must have; null leaves the types unchecked
   * @returns the rows that {@link insert} would write, with the tenants that receive them
   * @throws RefusedExport for rows that the table cannot have
   */
  async check(
    database: Queryable | null,
    section: RowSection,
    payload: Buffer,
  ): Promise<{ readonly appId: string; readonly row: Row }[]> {
    const table = this.tableOf(section);
    const shards = this.placed(table, readRows(section, payload));
    if (database !== null) {
      for (const [shard, rows] of shards) {
        await fitting(section.table, async () => {
          const { columns, values } = await this.valuesOf(database, table, shard);
          // `count` evaluates its argument for every row, and so reads every value as its type.
          await run(database, sql`select count(row(${join(values)})) from ${recordsOf(rows, columns)}`);
        });
      }
    }
    return [...shards].flatMap(([shard, rows]) => rows.map((row) => ({ appId: tenantOf(shard), row })));
  }

  private tableOf({ table: name, columns }: RowSection): MovedTable {
    const table = this.tables.get(name);
    if (table?.columns.join() === columns.join()) return table;
    throw new RefusedExport(`the columns of ${JSON.stringify(name)} differ from those of this version`);
  }

  /** Returns the rows by the shard that receives them. */
  private placed(table: MovedTable, rows: readonly Row[]): Map<string, Row[]> {
    const shards = new Map<string, Row[]>();
    for (const row of rows) {
      const placed = this.place(table, row);
      if (placed === null) continue;
      const others = shards.get(placed.shard);
      if (others === undefined) shards.set(placed.shard, [placed.row]);
      else others.push(placed.row);
    }
    return shards;
  }

  /** Returns the shard of a row, and the row as it is stored in this shard. Returns null if the row is not restored. */
  private place({ name, documentColumn }: MovedTable, row: Row): { shard: string; row: Row } | null {
    const tenant = this.tenants.get(tenantOf(row['app_id'] ?? ''));
    if (tenant === undefined) throw new RefusedExport('it has rows of a tenant that it does not list');
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
    table: MovedTable,
    shard: string,
    rows: readonly Row[],
  ): Promise<void> {
    const { name } = table;
    const isOther = shard !== tenantOf(shard);
    if (name === 'documents' && isOther) await copyFolders(manager, shard, rows);
    const { columns, values } = await this.valuesOf(manager, table, shard);
    await run(
      manager,
      sql`insert into ${raw(name)} (app_id, ${raw(columns.map((column) => `"${column}"`).join(', '))})
          select ${shard}, ${join(values)} from ${recordsOf(rows, columns)} on conflict do nothing`,
    );
  }

  /** Returns the columns of a table besides the tenant, and their values in a row `r` of texts. */
  private async valuesOf(
    database: Queryable,
    { name, columns }: MovedTable,
    shard: string,
  ): Promise<{ readonly columns: readonly string[]; readonly values: readonly Sql[] }> {
    const types = await this.typesOf(database, name);
    const others = columns.filter((column) => column !== 'app_id');
    const values = others.map((column) => valueOf(name, column, types.get(column) ?? 'text', shard));
    return { columns: others, values };
  }

  private async typesOf(database: Queryable, table: string): Promise<ReadonlyMap<string, string>> {
    const known = this.types.get(table) ?? (await columnTypes(database, table));
    this.types.set(table, known);
    return known;
  }
}

/** Runs a statement over rows. @throws RefusedExport if the table cannot have a value, or refers to a missing row */
async function fitting(table: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { code } = (error instanceof QueryFailedError ? error.driverError : {}) as { code?: string };
    if (code === undefined || !UNFIT.test(code)) throw error;
    throw new RefusedExport(`rows of ${table} do not fit the table (${(error as Error).message})`);
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
