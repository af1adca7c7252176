import type { QueryRunner } from 'typeorm';
import { StartRefused } from '../../errors/index.js';
import type { DescribedMigration } from './described-migration.js';

/**
 * The whole schema. Every key contains the tenant (`app_id`), so that the tables can be distributed by tenant. The HNSW
 * indexes on vectors are not created here. The start of the service creates them, because the dimensions of the
 * embedding model are known then.
 */
export class Initial1700000030000 implements DescribedMigration {
  readonly about = 'creates the tables';

  /** @throws StartRefused for a schema that an unreleased version left. */
  async up(queryRunner: QueryRunner): Promise<void> {
    if (await queryRunner.hasTable('service_state')) {
      throw new StartRefused(
        'The schema was left by an unreleased version of Lectern, and cannot be migrated: set DATABASE_URL to an empty database, or DATA_DIR to another folder',
      );
    }
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `drop table conversation_items, conversations, responses, file_attachments, file_batch_entries, file_batches,
         vector_stores, files, operation_log, rate_limits, document_summaries, folder_summaries, pages, metadata_order,
         idempotency_keys, chat_turns, chats, ingestion_turns, ingestion_jobs, object_removals, term_stats, corpus_stats,
         chunks, document_texts, documents, folders, api_keys, apps, service_state, typeorm_metadata`,
    );
    await queryRunner.query('drop function write_metadata_order, metadata_order_of, hash_metadata');
  }
}

function summaryTable(subject: 'document' | 'folder', key: string): string {
  return `create table ${subject}_summaries (
     app_id text not null,
     subject_id uuid not null,
     version integer not null,
     content text not null,
     updated_at timestamptz not null default now(),
     primary key (app_id, subject_id, version),
     foreign key (app_id, subject_id) references ${subject}s (app_id, ${key}) on delete cascade
   )`;
}

const STATEMENTS = [
  'create extension if not exists vector',
  // State of the whole installation, such as the embedding space.
  `create table service_state (
     name text primary key,
     value jsonb not null
   )`,
  // token_version: number of key rotations. removing_since: set while the tenant is being removed. shards: number of
  // shards into which the tenant is divided (src/auth/scope.ts); 0 in the row of a shard. The check rejects ids and
  // names of tenants that contain the separator of shard ids.
  `create table apps (
     app_id text primary key,
     name text not null unique,
     created_at timestamptz not null default now(),
     token_version integer not null default 0,
     removing_since timestamptz,
     shards integer not null default 1,
     constraint apps_shards_check check ((shards = 0) = (strpos(app_id || name, chr(31)) > 0))
   )`,
  // A key may belong to an end user, and may have a sign-in link.
  `create table api_keys (
     app_id text not null references apps on delete cascade,
     jti uuid not null,
     name text not null,
     permissions text[] not null,
     created_at timestamptz not null default now(),
     expires_at timestamptz,
     revoked_at timestamptz,
     end_user_id text collate "C",
     sign_in_hash bytea,
     sign_in_expires_at timestamptz,
     primary key (app_id, jti)
   )`,
  `create table folders (
     app_id text not null references apps on delete cascade,
     folder_id uuid not null default gen_random_uuid(),
     path text collate "C" not null,
     description text,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     primary key (app_id, folder_id),
     unique (app_id, path)
   )`,
  // Returns one hash for each text, number and boolean under a top-level key, and for each element of an array under a
  // top-level key. An index on the hashes finds the documents that have any of many values in one scan. An index on the
  // metadata itself would have to recheck each value on each document. {"key": ["a", "b"]} has the hashes of "a" and of
  // "b" under the key, so the same function can also build the search keys.
  `create function hash_metadata(metadata jsonb) returns bigint[]
       language sql immutable strict parallel safe as $$
         select array(
           select hashtextextended(k.key collate "C", jsonb_hash_extended(e, 0))
           from jsonb_each(metadata) k
           cross join lateral jsonb_path_query(k.value, 'lax $[*]') e
           where jsonb_typeof(e) in ('string', 'number', 'boolean')
         )
       $$`,
  // Keys of documents and chunks start with the document id, which is selective, and end with the tenant, which is
  // equal in most comparisons. This order makes a lookup of 10,000 documents a third faster.
  `create table documents (
     app_id text not null references apps on delete cascade,
     external_id uuid not null default gen_random_uuid(),
     status text not null check (status in ('processing', 'completed', 'failed')),
     version integer not null default 1,
     text_version integer not null default 1,
     content_type text not null,
     filename text,
     metadata jsonb not null default '{}',
     metadata_types jsonb not null default '{}',
     additional_metadata jsonb not null default '{}',
     storage_files jsonb not null default '[]',
     ingested_from jsonb,
     folder_path text collate "C",
     folder_id uuid,
     end_user_id text,
     use_colpali boolean not null default false,
     embedding_model text,
     page_count integer,
     chunk_count integer not null default 0,
     text_length integer not null default 0,
     live_revisions bigint[] not null default '{0}',
     progress jsonb,
     error text,
     update_history jsonb not null default '[]',
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     metadata_hashes bigint[] not null generated always as (hash_metadata(metadata)) stored,
     page_revisions bigint[] not null default '{}',
     error_kind text,
     primary key (external_id, app_id),
     foreign key (app_id, folder_id) references folders (app_id, folder_id)
   )`,
  'create index documents_metadata on documents using gin (metadata jsonb_path_ops)',
  'create index documents_metadata_hashes on documents using gin (metadata_hashes)',
  'create index documents_folder on documents (app_id, folder_path)',
  'create index documents_end_user on documents (app_id, end_user_id)',
  'create index documents_filename on documents (app_id, filename)',
  'create index documents_updated on documents (app_id, updated_at, external_id)',
  // Index-only scans of this index count and list the documents of a folder, and find references to a deleted folder.
  'create index documents_in_folder on documents (app_id, folder_id, external_id)',
  // Unfinished documents can be counted with this index, without a scan of all documents.
  `create index documents_unfinished on documents (status) where status <> 'completed'`,
  // Orders documents by a hash, so that the first documents are an unbiased sample. The ids themselves are in order of
  // time.
  'create index documents_sample on documents (app_id, uuid_hash_extended(external_id, 0))',
  // If the extension is missing and the role may not create it, a search by file name scans all names of the tenant.
  `do $$
   begin
     create extension if not exists pg_trgm;
     create index documents_filename_trigrams on documents using gin (lower(filename collate "C") gin_trgm_ops);
   exception when insufficient_privilege or undefined_file or feature_not_supported then
     raise notice 'file names are searched without an index: %', sqlerrm;
   end $$`,
  // The text of a document is the concatenation of its rows. An append only inserts rows, so its cost does not depend
  // on the length of the existing text.
  `create table document_texts (
     app_id text not null,
     document_id uuid not null,
     part integer not null,
     content text not null,
     start_offset integer not null,
     primary key (app_id, document_id, part),
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,
  // content_hash is the SHA-256 of the content; context is prepended to the text for embedding. impacts contains the
  // BM25 impact of each term. terms contains the keys under which a GIN index finds the chunk
  // (src/lexical/inverted-index.ts). A chunk is visible if its revision is one of the live_revisions of its document. A
  // job writes chunks in steps under a new revision, and then one small transaction makes the revision live.
  `create table chunks (
     app_id text not null,
     document_id uuid not null,
     chunk_number integer not null,
     revision bigint not null,
     content text not null,
     content_hash bytea not null,
     content_type text not null,
     start_offset integer not null,
     end_offset integer not null,
     page_number integer,
     metadata jsonb not null default '{}',
     embedding halfvec not null,
     context text not null default '',
     impacts sparsevec(536870912) not null,
     terms bigint[] not null,
     primary key (document_id, app_id, chunk_number, revision),
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,
  // `main` keeps a column in its row if possible. Few rows exceed a page. If a row does, PostgreSQL first stores its
  // other columns out of line. A search reads these columns last.
  'alter table chunks alter column embedding set storage main',
  'alter table chunks alter column impacts set storage main',
  'alter table chunks alter column terms set storage main',
  // A pending list would make writes slightly faster, but every search slower.
  'create index chunks_terms on chunks using gin (terms) with (fastupdate = off)',
  // Exact corpus statistics, updated in the transaction that changes the chunks.
  `create table term_stats (
     app_id text not null,
     key bigint not null,
     chunk_count integer not null,
     primary key (app_id, key)
   )`,
  `create table corpus_stats (
     app_id text primary key references apps on delete cascade,
     chunk_count bigint not null default 0
   )`,
  // Stored objects to remove. Objects of deleted documents are removed at once. The object of an upload is removed
  // after a delay, unless the upload became a document. A key that ends in a slash stands for every key with this
  // prefix.
  `create table object_removals (
     app_id text not null,
     key text not null,
     due_at timestamptz not null,
     removing boolean not null default false,
     primary key (app_id, key)
   )`,
  'create index object_removals_due on object_removals (due_at)',
  // revision: revision of the chunks that the job writes. Jobs of one document run in the order of their revisions.
  `create table ingestion_jobs (
     app_id text not null,
     job_id uuid not null default gen_random_uuid(),
     document_id uuid not null,
     revision bigint generated always as identity,
     payload jsonb not null default '{}',
     state text not null default 'queued' check (state in ('queued', 'running', 'dead')),
     attempts integer not null default 0,
     run_at timestamptz not null default now(),
     leased_until timestamptz,
     leased_by uuid,
     last_error text,
     created_at timestamptz not null default now(),
     size bigint not null default 0,
     order_at timestamptz not null default now(),
     primary key (app_id, job_id),
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,
  // Jobs run round-robin over tenants. Within a tenant, short jobs run before long jobs.
  `create index ingestion_jobs_order on ingestion_jobs (app_id, order_at, revision, size, run_at)
     where state = 'queued'`,
  `create index ingestion_jobs_running on ingestion_jobs (app_id, job_id) where state = 'running'`,
  'create index ingestion_jobs_document on ingestion_jobs (app_id, document_id, revision)',
  `create table ingestion_turns (
     app_id text primary key references apps on delete cascade,
     taken_at timestamptz not null
   ) with (fillfactor = 50)`,
  // Clients identify a chat by an id of their own, which is unique for its owner. The owner is a tenant together with
  // an end user or, if there is no end user, with a key. Turns refer to a chat by its internal key instead of these
  // columns.
  `create table chats (
     app_id text not null references apps on delete cascade,
     chat_key uuid not null default gen_random_uuid(),
     chat_id text collate "C" not null,
     end_user_id text collate "C",
     title text not null,
     turn_count integer not null,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     key_id text collate "C",
     primary key (app_id, chat_key)
   )`,
  // A missing end user is not the same as an end user with an empty id.
  `create unique index chats_identity
     on chats (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')), (coalesce(key_id, '')))`,
  'create index chats_owner on chats (app_id, end_user_id, key_id, updated_at, chat_key)',
  'create index chats_updated on chats (app_id, updated_at desc, chat_key)',
  `create table chat_turns (
     app_id text not null,
     chat_key uuid not null,
     position integer not null,
     role text not null check (role in ('user', 'assistant')),
     content text not null,
     created_at timestamptz not null default clock_timestamp(),
     evidence jsonb,
     primary key (app_id, chat_key, position),
     foreign key (app_id, chat_key) references chats (app_id, chat_key) on delete cascade
   )`,
  // Responses to requests with an Idempotency-Key, kept for 24 hours.
  `create table idempotency_keys (
     app_id text not null references apps on delete cascade,
     key text not null,
     request_hash bytea not null,
     response jsonb not null,
     created_at timestamptz not null default now(),
     primary key (app_id, key)
   )`,
  'create index idempotency_keys_created on idempotency_keys (created_at)',
  // Ordered values of metadata, for range filters. A number or text under a top-level key has one row. An array has
  // rows with its minimum and maximum number and text, which are marked as spread. Dates are stored as seconds since
  // 1970, and decimals as numbers. Texts are truncated and long keys omitted, so that a row fits into its index.
  // Therefore a range over these rows finds a superset of the documents that the filter selects. A trigger maintains
  // the rows, because several places in the code write metadata.
  `create table metadata_order (
     app_id text not null,
     document_id uuid not null,
     name text collate "C" not null,
     spread boolean not null,
     number numeric,
     text text collate "C",
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,
  // Citus moves shards under writes by logical replication, which requires a replica identity.
  'alter table metadata_order replica identity full',
  `create function metadata_order_of(metadata jsonb, types jsonb)
   returns table (name text, spread boolean, number numeric, text text) language sql stable as $$
     select k.key, jsonb_typeof(k.value) = 'array', b.number, b.text
     from jsonb_each(metadata) k
     cross join lateral (
       select min(v.number) as least, max(v.number) as greatest, min(v.text) as first, max(v.text) as last
       from (
         select
           case when jsonb_typeof(e) = 'number' then (e #>> '{}')::numeric
                when jsonb_typeof(e) <> 'string' then null
                when types ->> k.key = 'decimal' then (e #>> '{}')::numeric
                when types ->> k.key = 'date' then extract(epoch from ((e #>> '{}') || ' UTC')::timestamptz)::numeric
                when types ->> k.key = 'datetime' then extract(epoch from ((e #>> '{}') ||
                  case when substr(e #>> '{}', 11) ~ '[-+Zz]' then '' else ' UTC' end)::timestamptz)::numeric
           end as number,
           case when jsonb_typeof(e) = 'string' and coalesce(types ->> k.key, '') not in ('decimal', 'date', 'datetime')
                then left(e #>> '{}', 100) collate "C" end as text
         from jsonb_path_query(k.value, 'lax $[*]') e
       ) v
     ) s
     cross join lateral (values
       (s.least, null::text), (nullif(s.greatest, s.least), null), (null, s.first), (null, nullif(s.last, s.first))
     ) b(number, text)
     where length(k.key) <= 200 and (b.number is not null or b.text is not null)
   $$`,
  `create function write_metadata_order() returns trigger language plpgsql as $$
   begin
     if tg_op = 'UPDATE' then
       delete from metadata_order o where o.app_id = new.app_id and o.document_id = new.external_id;
     end if;
     insert into metadata_order (app_id, document_id, name, spread, number, text)
     select new.app_id, new.external_id, o.name, o.spread, o.number, o.text
     from metadata_order_of(new.metadata, new.metadata_types) o;
     return null;
   end $$`,
  `create index metadata_order_number on metadata_order (app_id, name, spread, number, document_id) where number is not null`,
  `create index metadata_order_text on metadata_order (app_id, name, spread, text, document_id) where text is not null`,
  `create index metadata_order_document on metadata_order (app_id, document_id)`,
  `create trigger documents_metadata_inserted after insert on documents
   for each row when (new.metadata <> '{}') execute function write_metadata_order()`,
  `create trigger documents_metadata_updated after update of metadata, metadata_types on documents
   for each row when (new.metadata is distinct from old.metadata or new.metadata_types is distinct from old.metadata_types)
   execute function write_metadata_order()`,
  // Page images, and the vectors of a model that reads page images. A page is visible if its revision is one of the
  // page_revisions of its document. pooled is the mean of the vectors.
  `create table pages (
     document_id uuid not null,
     app_id text not null,
     page_number integer not null,
     revision bigint not null,
     page_id bigint generated always as identity,
     object_key text not null,
     width integer not null,
     height integer not null,
     content text not null,
     vectors bytea,
     vector_count integer,
     pooled halfvec,
     fingerprint bit(64),
     image_size integer not null default 0,
     primary key (document_id, app_id, page_number, revision),
     unique (app_id, page_id),
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,
  // Not compressed, because compression does not make vectors smaller.
  'alter table pages alter column vectors set storage external',
  'create index pages_fingerprint on pages using hnsw (fingerprint bit_hamming_ops)',

  // All versions of the summaries that people or programs write.
  summaryTable('document', 'external_id'),
  summaryTable('folder', 'folder_id'),

  // Request counters per minute. The table is unlogged. Therefore no request waits for a WAL write, and a crash of the
  // server resets the counters.
  `create unlogged table rate_limits (
     app_id text not null references apps on delete cascade,
     key_id text not null,
     used integer not null,
     ends_at timestamptz not null,
     primary key (app_id, key_id)
   ) with (fillfactor = 50)`,
  `create table operation_log (
     app_id text not null references apps on delete cascade,
     entry_id bigint generated always as identity,
     logged_at timestamptz not null,
     operation_type text not null,
     status text not null check (status in ('success', 'error')),
     status_code integer not null,
     duration_ms double precision not null,
     tokens_used integer not null,
     key_id text not null,
     request_id text not null,
     primary key (app_id, entry_id)
   )`,
  'create index operation_log_logged on operation_log (logged_at)',

  // Uploaded files; vector stores, which are folders with a name and metadata; files in vector stores, which are
  // documents with an attached file; and batches of files.
  `create table files (
     app_id text not null references apps on delete cascade,
     file_id uuid not null,
     purpose text not null,
     filename text not null,
     content_type text not null,
     bucket text not null,
     object_key text not null,
     bytes bigint not null,
     created_at timestamptz not null default now(),
     expires_at timestamptz,
     primary key (app_id, file_id)
   )`,
  'create index files_expiring on files (expires_at) where expires_at is not null',
  `create table vector_stores (
     app_id text not null,
     folder_id uuid not null,
     name text,
     description text,
     metadata jsonb,
     expires_after_days integer,
     last_active_at timestamptz not null default now(),
     emptied_at timestamptz,
     primary key (app_id, folder_id),
     foreign key (app_id, folder_id) references folders (app_id, folder_id) on delete cascade
   )`,
  `create table file_batches (
     app_id text not null,
     batch_id uuid not null,
     folder_id uuid not null,
     created_at timestamptz not null default now(),
     cancelled_at timestamptz,
     primary key (app_id, batch_id),
     foreign key (app_id, folder_id) references folders (app_id, folder_id) on delete cascade
   )`,
  'create index file_batches_folder on file_batches (app_id, folder_id)',
  // The transaction that attaches a file deletes the row of the file. The remaining rows are waiting, cancelled or
  // failed.
  `create table file_batch_entries (
     app_id text not null,
     batch_id uuid not null,
     file_id uuid not null,
     folder_id uuid not null,
     metadata jsonb,
     chunking jsonb,
     created_at timestamptz not null default now(),
     error text,
     primary key (app_id, batch_id, file_id),
     foreign key (app_id, batch_id) references file_batches (app_id, batch_id) on delete cascade
   )`,
  'create index file_batch_entries_folder on file_batch_entries (app_id, folder_id)',
  'create index file_batch_entries_file on file_batch_entries (app_id, file_id)',
  `create table file_attachments (
     app_id text not null,
     document_id uuid not null,
     file_id uuid not null,
     batch_id uuid,
     chunking jsonb,
     created_at timestamptz not null default now(),
     primary key (app_id, document_id),
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,
  'create index file_attachments_file on file_attachments (app_id, file_id)',
  'create index file_attachments_batch on file_attachments (app_id, batch_id)',

  // Stored responses and conversations. json, unlike jsonb, keeps the order of keys and the digits of numbers.
  `create table responses (
     app_id text not null references apps on delete cascade,
     response_id uuid not null,
     end_user_id text collate "C",
     previous_id uuid,
     input json not null,
     response json not null,
     bytes integer not null,
     created_at timestamptz not null default now(),
     primary key (app_id, response_id)
   )`,
  `create table conversations (
     app_id text not null references apps on delete cascade,
     conversation_id uuid not null,
     end_user_id text collate "C",
     metadata jsonb not null,
     next_position integer not null default 0,
     created_at timestamptz not null default now(),
     primary key (app_id, conversation_id)
   )`,
  `create table conversation_items (
     app_id text not null,
     conversation_id uuid not null,
     position integer not null,
     item_id text collate "C" not null,
     item json not null,
     bytes integer not null,
     primary key (app_id, conversation_id, position),
     unique (app_id, conversation_id, item_id),
     foreign key (app_id, conversation_id) references conversations (app_id, conversation_id) on delete cascade
   )`,

  // TypeORM's own table of generated column expressions. Without this table, TypeORM cannot compare entities with
  // tables. Its rows are the same as if TypeORM had created the column.
  `create table if not exists typeorm_metadata (
     type varchar not null, database varchar, schema varchar, "table" varchar, name varchar, value text
   )`,
  `insert into typeorm_metadata (type, database, schema, "table", name, value) values
     ('GENERATED_COLUMN', current_database(), current_schema(), 'documents', 'metadata_hashes', 'hash_metadata(metadata)')`,
];
