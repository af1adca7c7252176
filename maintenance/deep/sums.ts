import { createHash } from 'node:crypto';
import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { run } from '../../src/database/run.js';
import { NotFound } from '../../src/errors/index.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import { Collected, type Found } from './found.js';

/** Returns the SHA-256 of a stored object. @returns null if the object was deleted meanwhile */
export async function sumOf(store: ObjectStore, key: string): Promise<string | null> {
  const sum = createHash('sha256');
  try {
    for await (const part of await store.get(key)) sum.update(part as Uint8Array);
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
  return sum.digest('hex');
}

/** A file whose row has no checksum, although its size is as recorded. */
export interface Unsummed {
  /** Id of the document or of the upload. */
  readonly id: string;
  readonly key: string;
  readonly of: 'documents' | 'files';
  readonly size: number;
}

/** Finds the files that were stored before checksums were recorded. Files that are missing have a check of their own. */
export async function unsummed(
  dataSource: DataSource,
  store: ObjectStore,
  appId: string,
  limit: number,
): Promise<Found<Unsummed>> {
  const found = new Collected<Unsummed>(limit);
  const rows = await run<Unsummed>(
    dataSource,
    sql`select d.external_id::text as id, f ->> 'key' as key, 'documents' as of, (f ->> 'size')::float8 as size
        from documents d cross join lateral jsonb_array_elements(d.storage_files) f
        where d.app_id = ${appId} and d.progress is null and not f ? 'sha256'
        union all
        select file_id::text, object_key, 'files', bytes::float8 from files
        where app_id = ${appId} and sha256 is null order by 1, 2`,
  );
  for (const row of rows) if ((await store.size(row.key)) === row.size) found.add(row);
  return found;
}

/** Records the checksums of files as they are. */
export async function recordSums(
  dataSource: DataSource,
  store: ObjectStore,
  appId: string,
  files: readonly Unsummed[],
): Promise<void> {
  for (const { id, key, of } of files) {
    const sum = await sumOf(store, key);
    if (sum === null) continue;
    await run(
      dataSource,
      of === 'files'
        ? sql`update files set sha256 = ${sum}
              where app_id = ${appId} and file_id = ${id}::uuid and object_key = ${key} and sha256 is null`
        : sql`update documents set storage_files = (
                select jsonb_agg(case when f ->> 'key' = ${key} and not f ? 'sha256'
                  then f || jsonb_build_object('sha256', ${sum}::text) else f end order by place)
                from jsonb_array_elements(storage_files) with ordinality as e(f, place))
              where app_id = ${appId} and external_id = ${id}::uuid and jsonb_array_length(storage_files) > 0`,
    );
  }
}
