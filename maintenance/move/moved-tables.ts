import sql, { raw, type Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run, type Queryable } from '../../src/database/run.js';
import { TENANT_TABLES, tenantTables } from '../../src/database/tenant-tables.js';

export interface MovedTable {
  readonly name: string;
  /** Column with the document id, which determines the tenant shard; null if the rows belong to the whole tenant. */
  readonly documentColumn: string | null;
  /** Written columns, in the order of their names. */
  readonly columns: readonly string[];
}

/** Tables that are restored last, so that no key works and no job runs before the tenant is complete. */
const LAST = ['ingestion_jobs', 'api_keys'];

/**
 * Returns the tables whose rows an export contains. Referenced tables come before the tables that refer to them. Jobs
 * and keys come last.
 */
export function movedTables(dataSource: DataSource): MovedTable[] {
  const names = tenantTables(dataSource).reverse();
  return [...names.filter((name) => !LAST.includes(name)), ...LAST].flatMap((name) => {
    const moves = TENANT_TABLES[name]?.moves;
    if (moves === undefined) throw new Error(`${name} is missing in TENANT_TABLES`);
    if (moves.of === 'nothing') return [];
    return [
      {
        name,
        documentColumn: moves.of === 'document' ? moves.id : null,
        columns: writtenColumns(dataSource, name),
      },
    ];
  });
}

/** Returns the columns of a table. Omits columns that the database computes. */
function writtenColumns(dataSource: DataSource, table: string): string[] {
  return dataSource
    .getMetadata(table)
    .columns.filter(
      ({ generatedType, generatedIdentity }) =>
        generatedType === undefined && generatedIdentity === undefined,
    )
    .map(({ databaseName }) => databaseName)
    .sort();
}

export async function columnTypes(database: Queryable, table: string): Promise<ReadonlyMap<string, string>> {
  const rows = await run<{ name: string; type: string }>(
    database,
    sql`select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`,
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/** Returns the name of the last migration of a database, or null if the database has no schema. */
export async function schemaOf(database: Queryable): Promise<string | null> {
  const [found] = await run<{ isThere: boolean }>(
    database,
    sql`select to_regclass('migrations') is not null as "isThere"`,
  );
  if (found?.isThere !== true) return null;
  const [last] = await run<{ name: string }>(
    database,
    sql`select name from migrations order by timestamp desc limit 1`,
  );
  return last?.name ?? null;
}

/** For each table, the column of `documents` that lists its visible revisions. */
const REVISIONS: Readonly<Record<string, string>> = { chunks: 'live_revisions', pages: 'page_revisions' };

/**
 * Returns the predicate for the rows of a table that a reader sees. Staged rows are not visible. Their job stages them
 * again after a restore.
 */
export function isVisible(table: string, alias: string): Sql {
  const revisions = REVISIONS[table];
  if (revisions === undefined) return raw('true');
  return raw(
    `exists (select from documents v where v.app_id = ${alias}.app_id and v.external_id = ${alias}.document_id
       and ${alias}.revision = any(v.${revisions}))`,
  );
}
