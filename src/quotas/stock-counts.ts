import sql, { empty, type Sql } from 'sql-template-tag';
import { userPrincipal } from '../access/principal.js';
import { shardIds } from '../auth/scope.js';
import type { Stock } from '../config/quotas.js';
import { type Queryable, run } from '../database/run.js';

/**
 * Counts exactly what a tenant or a person has, whoever may read it.
 * @param person null: everything of the tenant
 */
export async function countStock(
  database: Queryable,
  appId: string,
  person: string | null,
  kind: Stock,
): Promise<number> {
  const [tenant] = await run<{ shards: number }>(
    database,
    sql`select shards from apps where app_id = ${appId}`,
  );
  let total = 0;
  for (const part of shardIds({ appId, shards: tenant?.shards ?? 1 })) {
    if (part !== appId && !IN_EVERY_SHARD.includes(kind)) break;
    const [row] = await run<{ used: number }>(database, STATEMENTS[kind](part, person));
    total += row?.used ?? 0;
    if (kind === 'bytes') total += await countQueuedBytes(database, part, person);
  }
  return total;
}

/** Counts the files of updates that are not committed yet. */
async function countQueuedBytes(database: Queryable, appId: string, person: string | null): Promise<number> {
  const jobs = await run<{ document: string; size: number }>(
    database,
    sql`select document_id::text as document, size::float8 as size from ingestion_jobs
        where app_id = ${appId} and payload -> 'update' <> 'null'`,
  );
  if (person === null || jobs.length === 0) return jobs.reduce((sum, { size }) => sum + size, 0);
  const ids = [...new Set(jobs.map(({ document }) => document))];
  // On a cluster jobs and documents are in different places.
  const own = await run<{ id: string }>(
    database,
    sql`select d.external_id::text as id from documents d
        where d.app_id = ${appId} and d.external_id = any(${ids}::uuid[])${of(sql`d`, person)}`,
  );
  const isOwn = new Set(own.map(({ id }) => id));
  return jobs.filter(({ document }) => isOwn.has(document)).reduce((sum, { size }) => sum + size, 0);
}

/** The other kinds are in the first shard of a tenant. */
const IN_EVERY_SHARD: readonly Stock[] = ['documents', 'bytes'];

const STATEMENTS: Readonly<Record<Stock, (appId: string, person: string | null) => Sql>> = {
  documents: (appId, person) =>
    sql`select count(*)::float8 as used from documents d where d.app_id = ${appId}${of(sql`d`, person)}`,
  /** Uploaded files in all versions, files that are not attached, and texts that came without a file. */
  bytes: (appId, person) => sql`
    select (coalesce((
        select sum(case when d.storage_files = '[]'
          then (select sum(octet_length(t.content)) from document_texts t
                where t.app_id = ${appId} and t.document_id = d.external_id)
          else (select sum((f ->> 'size')::float8) from jsonb_array_elements(d.storage_files) f
                where not exists (select a.document_id from file_attachments a
                  where a.app_id = ${appId} and a.document_id = d.external_id)) end)
        from documents d where d.app_id = ${appId}${of(sql`d`, person)}), 0)
      + coalesce((
        select sum(f.bytes) from files f where f.app_id = ${appId}${of(sql`f`, person)}), 0))::float8 as used`,
  folders: (appId, person) =>
    sql`select count(*)::float8 as used from folders f where f.app_id = ${appId}${of(sql`f`, person)}`,
  stores: (appId, person) =>
    sql`select count(*)::float8 as used from vector_stores v
        join folders f on f.app_id = ${appId} and f.folder_id = v.folder_id
        where v.app_id = ${appId}${of(sql`f`, person)}`,
  chats: (appId, person) =>
    sql`select count(*)::float8 as used from conversations c
        where c.app_id = ${appId}${person === null ? empty : sql` and c.owner = ${userPrincipal(person)}`}`,
};

function of(row: Sql, person: string | null): Sql {
  return person === null ? empty : sql` and ${row}.end_user_id = ${person}`;
}
