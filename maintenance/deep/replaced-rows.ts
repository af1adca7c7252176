import sql, { raw } from 'sql-template-tag';
import { run, type Queryable } from '../../src/database/run.js';
import type { ObjectStore } from '../../src/storage/object-store.js';

/** Columns that are computed from others. */
const COMPUTED = ['embedding', 'impacts', 'terms', 'vectors', 'pooled', 'fingerprint', 'metadata_hashes'];

/**
 * Keeps the rows of a document before a repair replaces or deletes them.
 * @param column column with the id of the document
 */
export async function keepRows(
  database: Queryable,
  appId: string,
  table: string,
  id: string,
  column = 'document_id',
): Promise<void> {
  await run(
    database,
    sql`insert into replaced_rows (app_id, replaced_id, table_name, content)
        select t.app_id, gen_random_uuid(), ${table}::text, to_jsonb(t) - ${COMPUTED}::text[] from ${raw(table)} t
        where t.app_id = ${appId} and t.${raw(column)}::text = ${id}`,
  );
}

/** Prefix of files that a repair took out of use. No tenant has it, because an id never begins with an underscore. */
export const KEPT = '_kept';

/** Moves a file that no row refers to below {@link KEPT}. */
export async function keepFile(store: ObjectStore, key: string): Promise<void> {
  await store.put(`${KEPT}/${key}`, await store.get(key));
  await store.delete(key);
}

/**
 * Deletes what repairs have kept: rows of the given tenant shards, and, for the whole installation, files.
 * @returns how many rows and files
 */
export async function discardKept(
  database: Queryable,
  store: ObjectStore,
  appIds: readonly string[] | null,
): Promise<{ readonly rows: number; readonly files: number }> {
  const among = appIds === null ? sql`true` : sql`app_id = any(${appIds}::text[])`;
  const [counted] = await run<{ rows: number }>(
    database,
    sql`select count(*)::integer as rows from replaced_rows where ${among}`,
  );
  await run(database, sql`delete from replaced_rows where ${among}`);
  const files = appIds === null ? await store.deletePrefix(KEPT) : 0;
  return { rows: counted?.rows ?? 0, files };
}

/** Counts the rows that repairs have kept. */
export async function countKept(database: Queryable): Promise<number> {
  const [counted] = await run<{ rows: number }>(
    database,
    sql`select count(*)::integer as rows from replaced_rows`,
  );
  return counted?.rows ?? 0;
}
