import pLimit from 'p-limit';
import sql, { join, type Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { shardIds } from '../../src/auth/scope.js';
import { RENDITION } from '../../src/corpus/document.entity.js';
import { run } from '../../src/database/run.js';
import { objectKey } from '../../src/storage/object-key.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import { keepFile, KEPT } from './replaced-rows.js';
import { recordSums, sumOf, unsummed, type Unsummed } from './sums.js';
import { check, idsOf, type Check, type CheckedTenant, type Tools } from './check.js';
import { Collected } from './found.js';

/** A row that names a stored object. */
interface Named {
  readonly id: string;
  readonly key: string;
  /** Recorded size in bytes; null if it is unknown. */
  readonly size: number | null;
  /** Recorded SHA-256; null if it is unknown. */
  readonly sha256: string | null;
}

/** A row that names an object or, if its key is null, no object. */
type MaybeNamed = Omit<Named, 'key'> & { readonly key: string | null };

function isNamed(row: MaybeNamed): row is Named {
  return row.key !== null;
}

interface DamagedFile extends Named {
  /** Size of the stored object; null if there is no object. */
  readonly found: number | null;
}

interface Stray {
  readonly key: string;
  readonly size: number;
}

/** Number of rows per statement, and number of stored objects that are compared with rows at once. */
const PAGE = 500;

/** Concurrent requests to the store. */
const REQUESTS = 8;

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Statements that select the rows that name stored objects, ordered by the id of the document or file. They omit the
 * pages of a document with a job, because the job renders the pages again.
 */
const NAMING = {
  documents: (appId: string, after: string): Sql =>
    sql`select d.external_id::text as id, n.key, n.size, n.sha256 from (
          select external_id, storage_files, ingested_from from documents
          where app_id = ${appId} and external_id > ${after}::uuid order by external_id limit ${PAGE}) d
        cross join lateral (
          select f ->> 'key' as key, (f ->> 'size')::float8 as size, f ->> 'sha256' as sha256 from jsonb_array_elements(d.storage_files) f
          union all
          select d.ingested_from #>> '{source,key}', null, null) n
        order by d.external_id, n.size nulls last`,
  pages: (appId: string, after: string): Sql =>
    sql`select document_id::text as id, object_key as key, nullif(image_size, 0)::float8 as size, null as sha256 from pages
        where app_id = ${appId} and document_id in (
          select distinct p.document_id from pages p
          join documents d on d.app_id = ${appId} and d.external_id = p.document_id and d.progress is null
          where p.app_id = ${appId} and p.document_id > ${after}::uuid
          order by p.document_id limit ${PAGE / 10})
        order by document_id`,
  files: (appId: string, after: string): Sql =>
    sql`select file_id::text as id, object_key as key, bytes::float8 as size, sha256 from files
        where app_id = ${appId} and file_id > ${after}::uuid order by file_id limit ${PAGE}`,
};

/** Checks that the stored files of a tenant agree with the rows that name them. */
export const FILE_CHECKS: readonly Check[] = [
  check<DamagedFile>({
    ...named('pages'),
    remedy: 'Ingest the document again, which renders its pages',
    repair: ({ rebuild }, appId, damages) => rebuild.queue(appId, [...new Set(idsOf(damages))]),
  }),
  check<DamagedFile>({
    ...named('documents'),
    remedy: 'Restore the file from a backup; the text of the document stays searchable',
  }),
  check<Unsummed>({
    name: 'files without a checksum',
    rule: 'Every file has a recorded checksum; those of earlier versions get it here',
    remedy: 'Record the checksum of the file as it is',
    find: ({ dataSource, store }, appId, limit) => unsummed(dataSource, store, appId, limit),
    describe: ({ id, key }) => `${id}: ${key}`,
    repair: ({ dataSource, store }, appId, damages) => recordSums(dataSource, store, appId, damages),
    isNote: true,
  }),
  check<DamagedFile>({
    ...named('files'),
    remedy: 'Restore the file from a backup, or delete it and upload it again',
  }),
];

function named(table: keyof typeof NAMING) {
  return {
    name: `files of ${table === 'files' ? 'uploads' : table}`,
    rule: `Every file that ${table} refer to is in the store, with the recorded size and checksum`,
    async find({ dataSource, store }: Tools, appId: string, limit: number) {
      const found = new Collected<DamagedFile>(limit);
      for await (const one of damagedFiles(dataSource, store, appId, table)) found.add(one);
      return found;
    },
    describe: (file: DamagedFile) => `${file.id}: ${file.key} ${damageOf(file)}`,
  };
}

/** Checks of the object store of the whole installation. */
export const STORE_CHECKS: readonly Check[] = [
  check<Stray>({
    name: 'files that no row refers to',
    rule: 'Every stored file belongs to a document, an upload, a page or a job, or waits for its deletion',
    remedy: `Move the file below ${KEPT}/ in the store; "lectern doctor --deep --discard" deletes it after your next backup`,
    async find({ dataSource, store, tenants }, _, limit) {
      const found = new Collected<Stray>(limit);
      const all = await tenants();
      for await (const stray of strays(dataSource, store, all)) found.add(stray);
      return found;
    },
    describe: ({ key, size }) => `${key} (${size} bytes)`,
    async repair({ store }, _, damages) {
      for (const { key } of damages) await keepFile(store, key);
    },
  }),
  check<{ readonly appId: string; readonly key: string }>({
    name: 'deletions of used files',
    rule: 'No file that a row refers to is waiting for deletion',
    remedy: 'Cancel the deletion',
    async find({ dataSource, tenants }, _, limit) {
      const found = new Collected<{ appId: string; key: string }>(limit);
      for (const tenant of await tenants()) {
        for await (const one of usedTombstones(dataSource, tenant)) found.add(one);
      }
      return found;
    },
    describe: ({ key }) => key,
    async repair({ dataSource, tombstones }, _, damages) {
      for (const tombstone of damages) await tombstones.cancel(dataSource, tombstone);
    },
  }),
];

function damageOf({ found, size }: DamagedFile): string {
  if (found === null) return 'is missing';
  if (size !== null && found !== size) return `has ${found} bytes instead of ${size}`;
  return 'has a different SHA-256 than recorded';
}

async function* damagedFiles(
  dataSource: DataSource,
  store: ObjectStore,
  appId: string,
  table: keyof typeof NAMING,
): AsyncGenerator<DamagedFile, void> {
  const limit = pLimit(REQUESTS);
  const compared = async (rows: readonly Named[]): Promise<DamagedFile[]> => {
    // Keeps the first row of each key, because the first row has the size.
    const named = [...new Map(rows.toReversed().map((row) => [row.key, row])).values()];
    const looked = await limit.map(named, (one) => damaged(store, one));
    return looked.filter((one) => one !== null);
  };
  for (let after = FIRST_ID; ;) {
    const rows = await run<MaybeNamed>(dataSource, NAMING[table](appId, after));
    const last = rows.at(-1);
    if (last === undefined) return;
    const suspects = await compared(rows.filter(isNamed));
    if (suspects.length > 0) {
      // A file whose row was deleted or changed meanwhile is not damaged.
      const again = await run<MaybeNamed>(dataSource, NAMING[table](appId, after));
      const keys = new Set(again.map(({ key }) => key));
      yield* await compared(suspects.filter(({ key }) => keys.has(key)));
    }
    after = last.id;
  }
}

/** Compares a stored file with its row. @returns null if they agree */
async function damaged(store: ObjectStore, named: Named): Promise<DamagedFile | null> {
  const { key, size, sha256 } = named;
  const found = (await store.size(key)) ?? null;
  if (found === null || (size !== null && size !== found)) return { ...named, found };
  if (sha256 === null || (await sumOf(store, key)) === sha256) return null;
  return { ...named, found };
}

/**
 * Yields objects that no row names. Yields nothing while a restore is unfinished, because a restore stores files before
 * the rows that name them.
 */
async function* strays(
  dataSource: DataSource,
  store: ObjectStore,
  tenants: readonly CheckedTenant[],
): AsyncGenerator<Stray, void> {
  const restores = await run(
    dataSource,
    sql`select 1 from service_state where name like 'restore:%' limit 1`,
  );
  if (restores.length > 0) return;
  const bySegment = new Map(tenants.map((tenant) => [objectKey(tenant.appId), tenant]));
  let batch: Stray[] = [];
  const checked = async function* (): AsyncGenerator<Stray, void> {
    const objects = batch;
    batch = [];
    const named = new Set<string>();
    // Reads the tombstones before the rows: a transaction that cancels a tombstone also writes a row that names the
    // object.
    for (const key of await pendingDeletion(
      dataSource,
      objects.map(({ key }) => key),
    ))
      named.add(key);
    for (const tenant of new Set(objects.map(({ key }) => bySegment.get(segments(key)[0] ?? '')))) {
      if (tenant === undefined) continue;
      const keys = objects
        .map(({ key }) => key)
        .filter((key) => bySegment.get(segments(key)[0] ?? '') === tenant);
      for (const key of await namedAmong(dataSource, tenant, keys)) named.add(key);
    }
    for (const object of objects) {
      if (!named.has(object.key) && (await store.exists(object.key))) yield object;
    }
  };
  for await (const { key, size } of store.list()) {
    if (key.startsWith(`${KEPT}/`)) continue;
    batch.push({ key, size });
    if (batch.length === PAGE) yield* checked();
  }
  if (batch.length > 0) yield* checked();
}

function segments(key: string): string[] {
  return key.split('/');
}

/** Returns the keys that a tombstone covers. */
async function pendingDeletion(dataSource: DataSource, keys: readonly string[]): Promise<string[]> {
  const covering = (key: string): string[] => {
    const parts = segments(key);
    return [key, ...parts.slice(0, -1).map((_, at) => `${parts.slice(0, at + 1).join('/')}/`)];
  };
  const rows = await run<{ key: string }>(
    dataSource,
    sql`select key from object_removals where key = any(${[...new Set(keys.flatMap(covering))]}::text[])`,
  );
  const removed = new Set(rows.map(({ key }) => key));
  return keys.filter((key) => covering(key).some((one) => removed.has(one)));
}

/**
 * Returns those of the keys that rows of a tenant name. Every key contains the id of a document or file. Searches the
 * rows of these documents and files first, and then all rows for the remaining keys.
 */
async function namedAmong(
  dataSource: DataSource,
  tenant: CheckedTenant,
  keys: readonly string[],
): Promise<Set<string>> {
  const ids = [...new Set(keys.map((key) => segments(key)[1] ?? '').filter((id) => isUuid(id)))];
  const named = new Set<string>();
  for (const appId of shardIds(tenant)) {
    for (const { key } of await run<{ key: string }>(dataSource, namedBy(appId, ids))) named.add(key);
  }
  const rest = keys.filter((key) => !named.has(key));
  if (rest.length === 0) return named;
  for (const appId of shardIds(tenant)) {
    const rows = await run<{ key: string }>(
      dataSource,
      sql`select o.key from (${namedBy(appId, null)}) o where o.key = any(${rest}::text[])`,
    );
    for (const { key } of rows) named.add(key);
  }
  return named;
}

/**
 * Selects the keys that rows name.
 * @param ids ids of documents and files whose rows are searched; null searches all rows
 */
function namedBy(appId: string, ids: readonly string[] | null): Sql {
  const among = (column: Sql): Sql => (ids === null ? sql`true` : sql`${column} = any(${ids}::uuid[])`);
  const sources = [
    sql`select f ->> 'key' as key from documents d, jsonb_array_elements(d.storage_files) f
        where d.app_id = ${appId} and ${among(sql`d.external_id`)}`,
    sql`select (f ->> 'key') || ${RENDITION}::text from documents d, jsonb_array_elements(d.storage_files) f
        where d.app_id = ${appId} and ${among(sql`d.external_id`)} and f -> 'rendition' ? 'pages'`,
    sql`select d.ingested_from #>> '{source,key}' from documents d
        where d.app_id = ${appId} and ${among(sql`d.external_id`)}`,
    sql`select p.object_key from pages p where p.app_id = ${appId} and ${among(sql`p.document_id`)}`,
    sql`select f.object_key from files f where f.app_id = ${appId} and ${among(sql`f.file_id`)}`,
    sql`select k from ingestion_jobs j,
          unnest(array[j.payload #>> '{source,key}', j.payload #>> '{update,file,key}']) k
        where j.app_id = ${appId} and ${among(sql`j.document_id`)}`,
  ];
  return sql`select key from (${join(sources, ' union all ')}) s where key is not null`;
}

/** Yields tombstones of files that rows name. */
async function* usedTombstones(
  dataSource: DataSource,
  tenant: CheckedTenant,
): AsyncGenerator<{ readonly appId: string; readonly key: string }, void> {
  for (const appId of shardIds(tenant)) {
    for (let after = ''; ;) {
      const rows = await run<{ appId: string; key: string }>(
        dataSource,
        sql`select app_id as "appId", key from object_removals
            where app_id = ${appId} and key > ${after} and not removing order by key limit ${PAGE}`,
      );
      const last = rows.at(-1);
      if (last === undefined) break;
      after = last.key;
      const keys = rows.map(({ key }) => key);
      const used = await usedAmong(dataSource, tenant, keys);
      if (used.size === 0) continue;
      // If an upload became a document meanwhile, its tombstone is cancelled and therefore no longer reported.
      const left = await run<{ key: string }>(
        dataSource,
        sql`select key from object_removals where app_id = ${appId} and key = any(${[...used]}::text[])`,
      );
      for (const { key } of left) yield { appId, key };
    }
  }
}

/** Returns those of the given tombstones that cover an object which a row names. */
async function usedAmong(
  dataSource: DataSource,
  tenant: CheckedTenant,
  tombstones: readonly string[],
): Promise<Set<string>> {
  const ids = [...new Set(tombstones.map((key) => segments(key)[1] ?? '').filter((id) => isUuid(id)))];
  const used = new Set<string>();
  for (const appId of shardIds(tenant)) {
    for (const { key } of await run<{ key: string }>(dataSource, namedBy(appId, ids))) {
      for (const tombstone of tombstones) {
        if (tombstone === key || (tombstone.endsWith('/') && key.startsWith(tombstone))) used.add(tombstone);
      }
    }
  }
  return used;
}
