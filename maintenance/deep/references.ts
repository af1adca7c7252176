import sql, { raw, type Sql } from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { tenantOf } from '../../src/auth/scope.js';
import type { StoredFile } from '../../src/corpus/document-row.js';
import { run } from '../../src/database/run.js';
import { objectKey } from '../../src/storage/object-key.js';
import type { ObjectStore } from '../../src/storage/object-store.js';
import { check, idsOf, type Check, type Tools } from './check.js';
import { keepRows } from './replaced-rows.js';

/** Rows of one table that refer to the same missing row. */
interface Orphans {
  readonly id: string;
  readonly rows: number;
}

interface Reference {
  readonly table: string;
  /** Column that contains the id of the row that must exist. */
  readonly column: string;
  readonly to: string;
  /** Column of `to` that contains this id. */
  readonly key: string;
  /** Type of the id; absent: uuid. */
  readonly type?: 'text';
}

/** References of rows that are parts of another row and are useless without it. */
const PARTS: readonly Reference[] = [
  { table: 'pages', column: 'document_id', to: 'documents', key: 'external_id' },
  { table: 'metadata_order', column: 'document_id', to: 'documents', key: 'external_id' },
  { table: 'document_summaries', column: 'subject_id', to: 'documents', key: 'external_id' },
  { table: 'file_attachments', column: 'document_id', to: 'documents', key: 'external_id' },
  { table: 'folder_summaries', column: 'subject_id', to: 'folders', key: 'folder_id' },
  { table: 'vector_stores', column: 'folder_id', to: 'folders', key: 'folder_id' },
  { table: 'file_batches', column: 'folder_id', to: 'folders', key: 'folder_id' },
  { table: 'group_members', column: 'group_id', to: 'groups', key: 'group_id', type: 'text' },
  { table: 'provider_accounts', column: 'key_id', to: 'api_keys', key: 'jti' },
  { table: 'browser_sessions', column: 'key_id', to: 'api_keys', key: 'jti' },
  { table: 'device_links', column: 'key_id', to: 'api_keys', key: 'jti' },
  { table: 'webhook_deliveries', column: 'webhook_id', to: 'webhooks', key: 'webhook_id' },
  { table: 'file_batch_entries', column: 'batch_id', to: 'file_batches', key: 'batch_id' },
  { table: 'deleted_items', column: 'conversation_id', to: 'conversations', key: 'conversation_id' },
  { table: 'chat_links', column: 'conversation_id', to: 'conversations', key: 'conversation_id' },
];

const TEXTS: Reference = {
  table: 'document_texts',
  column: 'document_id',
  to: 'documents',
  key: 'external_id',
};
const CHUNKS: Reference = { table: 'chunks', column: 'document_id', to: 'documents', key: 'external_id' };
const FOLDERS: Reference = { table: 'documents', column: 'folder_id', to: 'folders', key: 'folder_id' };
const TURNS: Reference = {
  table: 'turns',
  column: 'conversation_id',
  to: 'conversations',
  key: 'conversation_id',
};
/** Feedback is a copy of turns. Without its chat, feedback cannot be listed. */
const FEEDBACK: Reference = {
  table: 'answer_feedback',
  column: 'conversation_id',
  to: 'conversations',
  key: 'conversation_id',
};

/** Every reference between rows of one tenant. A spec compares it with the entities. */
export const REFERENCES: readonly Reference[] = [...PARTS, TEXTS, CHUNKS, FOLDERS, TURNS, FEEDBACK];

/**
 * Checks that referenced rows exist. If the referring row contains work of users (a document, a text, a turn of a
 * conversation), the repair restores the missing row. Otherwise the repair deletes the referring row.
 * The table of the queue checks the references of jobs, because a cluster stores jobs and documents on different nodes.
 */
export const REFERENCE_CHECKS: readonly Check[] = [
  ...[TEXTS, CHUNKS].map((one) =>
    check<Orphans>({
      ...shown(one),
      remedy:
        'Restore the document with this text and these chunks, without its name and metadata, and ingest it again',
      async repair({ dataSource, store, rebuild }, appId, damages) {
        const ids = idsOf(damages);
        await dataSource.transaction((manager) => restoreDocuments(manager, store, appId, ids));
        await rebuild.queue(appId, ids);
      },
    }),
  ),
  check<Orphans>({
    ...shown(FOLDERS),
    remedy: 'Restore the folder, or move the document to the folder that now has its path',
    repair: inTransaction(restoreFolders),
  }),
  check<Orphans>({
    ...shown(TURNS),
    remedy: 'Restore the chat or conversation with these turns; it then belongs to administrators',
    repair: inTransaction(restoreConversations),
  }),
  ...[...PARTS, FEEDBACK].map((one) =>
    check<Orphans>({
      ...shown(one),
      remedy: 'Delete the rows, and keep a copy',
      repair: ({ dataSource }, appId, damages) =>
        dataSource.transaction(async (manager) => {
          for (const id of idsOf(damages)) await keepRows(manager, appId, one.table, id, one.column);
          await run(manager, deletion(one, appId, idsOf(damages)));
        }),
    }),
  ),
];

function shown(one: Reference) {
  return {
    name: `${one.table.replaceAll('_', ' ')} without ${one.to.replaceAll('_', ' ')}`,
    rule: `Rows of ${one.table} refer to existing ${one.to}`,
    statement: (appId: string) => orphans(one, appId),
    describe: ({ id, rows }: Orphans) => `${id}: ${rows} rows`,
  };
}

function inTransaction(
  work: (manager: EntityManager, appId: string, ids: readonly string[]) => Promise<void>,
) {
  return ({ dataSource }: Tools, appId: string, damages: readonly Orphans[]): Promise<void> =>
    dataSource.transaction((manager) => work(manager, appId, idsOf(damages)));
}

function orphans({ table, column, to, key }: Reference, appId: string): Sql {
  return sql`select t.${raw(column)}::text as id, count(*)::integer as rows from ${raw(table)} t
    where t.app_id = ${appId} and t.${raw(column)} is not null
      and not exists (select 1 from ${raw(to)} r where r.app_id = ${appId} and r.${raw(key)} = t.${raw(column)})
    group by t.${raw(column)}`;
}

function deletion({ table, column, to, key, type }: Reference, appId: string, ids: readonly string[]): Sql {
  return sql`delete from ${raw(table)} t where t.app_id = ${appId} and t.${raw(column)} = any(${ids}::${raw(type ?? 'uuid')}[])
    and not exists (select 1 from ${raw(to)} r where r.app_id = ${appId} and r.${raw(key)} = t.${raw(column)})`;
}

/**
 * Restores the rows of lost documents with the texts, chunks and files that are left. Chunks of several revisions may be
 * versions of one text: then other checks find them. The original file names are lost.
 */
async function restoreDocuments(
  manager: EntityManager,
  store: ObjectStore,
  appId: string,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) {
    const files = await filesOf(store, appId, id);
    await run(
      manager,
      sql`insert into documents (app_id, external_id, status, content_type, storage_files, live_revisions, chunk_count,
            text_length)
          select ${appId}, ${id}::uuid, 'completed', 'text/plain', ${JSON.stringify(files)}::jsonb,
            coalesce(c.revisions, '{0}'), coalesce(c.held, 0), greatest(c.length, t.length, 0)
          from (
            select array_agg(distinct revision) as revisions, count(*)::integer as held, max(end_offset) as length
            from chunks where app_id = ${appId} and document_id = ${id}::uuid
          ) c cross join (
            select max(start_offset + length(content) + length(regexp_replace(content, '[\\u0001-\\uffff]', '', 'g'))) as length
            from document_texts where app_id = ${appId} and document_id = ${id}::uuid
          ) t
          on conflict do nothing`,
    );
  }
}

async function filesOf(store: ObjectStore, appId: string, id: string): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for await (const { key, size, modifiedAt } of store.list(objectKey(tenantOf(appId), id))) {
    if (key.split('/').length > SOURCE_SEGMENTS) continue; // a longer key belongs to the image of a page
    files.push({
      bucket: store.bucket,
      key,
      size,
      version: 1,
      filename: null,
      content_type: 'application/octet-stream',
      timestamp: modifiedAt.toISOString(),
    });
  }
  return files;
}

/** Number of segments in the key of a source file: tenant, document and file. */
const SOURCE_SEGMENTS = 3;

async function restoreFolders(manager: EntityManager, appId: string, ids: readonly string[]): Promise<void> {
  await run(
    manager,
    sql`insert into folders (app_id, folder_id, path)
        select distinct on (d.folder_id) d.app_id, d.folder_id, coalesce(d.folder_path, '/' || d.folder_id)
        from documents d where d.app_id = ${appId} and d.folder_id = any(${ids}::uuid[]) order by d.folder_id
        on conflict do nothing`,
  );
  // Another folder may have the path by now. The documents are then assigned to that folder.
  await run(
    manager,
    sql`update documents d set folder_id = f.folder_id from folders f
        where d.app_id = ${appId} and f.app_id = ${appId} and f.path = d.folder_path and d.folder_id = any(${ids}::uuid[])
          and not exists (select 1 from folders g where g.app_id = ${appId} and g.folder_id = d.folder_id)`,
  );
}

/** Restores conversations with the items of a lost conversation or response, and chats with other turns. */
async function restoreConversations(
  manager: EntityManager,
  appId: string,
  ids: readonly string[],
): Promise<void> {
  await run(
    manager,
    sql`insert into conversations (app_id, conversation_id, kind, chat_id, title, next_position, created_at, updated_at)
        select t.app_id, t.conversation_id,
          case when bool_and(t.item is null) then 'chat' else 'conversation' end,
          case when bool_and(t.item is null) then 'recovered-' || t.conversation_id end,
          case when bool_and(t.item is null) then left((array_agg(t.content order by t.position))[1], 80) end,
          max(t.position) + 1, min(t.created_at), max(t.created_at)
        from turns t where t.app_id = ${appId} and t.conversation_id = any(${ids}::uuid[]) and t.version = 0
        group by t.app_id, t.conversation_id`,
  );
}
