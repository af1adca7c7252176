import { step, type FormerStep } from './step.js';

/** Tables with a foreign key to documents when the key of documents changed. */
const OF_DOCUMENTS = ['chunks', 'document_texts', 'ingestion_jobs', 'metadata_order'];

const METADATA_ORDER = [
  `create table metadata_order (
     app_id text collate "C" not null,
     document_id uuid not null,
     name text collate "C" not null,
     spread boolean not null,
     number numeric,
     text text collate "C",
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,
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
  `insert into metadata_order (app_id, document_id, name, spread, number, text)
   select d.app_id, d.external_id, o.name, o.spread, o.number, o.text
   from documents d cross join lateral metadata_order_of(d.metadata, d.metadata_types) o`,
  `create index metadata_order_number on metadata_order (app_id, name, spread, number, document_id) where number is not null`,
  `create index metadata_order_text on metadata_order (app_id, name, spread, text, document_id) where text is not null`,
  `create index metadata_order_document on metadata_order (app_id, document_id)`,
  `create trigger documents_metadata_inserted after insert on documents
   for each row when (new.metadata <> '{}') execute function write_metadata_order()`,
  `create trigger documents_metadata_updated after update of metadata, metadata_types on documents
   for each row when (new.metadata is distinct from old.metadata or new.metadata_types is distinct from old.metadata_types)
   execute function write_metadata_order()`,
];

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

/** The steps up to November 23, 2026, without the first one, which created the tables. */
export const STEPS_OF_NOVEMBER_23: readonly FormerStep[] = [
  step('Chats1700000001000', 'creates the tables of chats', [
    `create table chats (
       app_id text not null references apps on delete cascade,
       chat_key uuid not null default gen_random_uuid(),
       chat_id text collate "C" not null,
       end_user_id text collate "C",
       title text not null,
       turn_count integer not null,
       created_at timestamptz not null default now(),
       updated_at timestamptz not null default now(),
       primary key (app_id, chat_key)
     )`,
    `create unique index chats_identity
       on chats (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')))`,
    'create index chats_updated on chats (app_id, updated_at desc, chat_key)',
    `create table chat_turns (
       app_id text not null,
       chat_key uuid not null,
       position integer not null,
       role text not null check (role in ('user', 'assistant')),
       content text not null,
       created_at timestamptz not null default clock_timestamp(),
       primary key (app_id, chat_key, position),
       foreign key (app_id, chat_key) references chats (app_id, chat_key) on delete cascade
     )`,
  ]),
  step('Idempotency1700000002000', 'creates the table of repeated requests', [
    `create table idempotency_keys (
       app_id text not null references apps on delete cascade,
       key text not null,
       request_hash bytea not null,
       response jsonb not null,
       created_at timestamptz not null default now(),
       primary key (app_id, key)
     )`,
    'create index idempotency_keys_created on idempotency_keys (created_at)',
  ]),
  step('FilenameSearch1700000003000', 'indexes file names', [
    `do $$
     begin
       create extension if not exists pg_trgm;
       create index documents_filename_trigrams on documents using gin (lower(filename collate "C") gin_trgm_ops);
     exception when insufficient_privilege or undefined_file or feature_not_supported then
       raise notice 'file names are searched without an index: %', sqlerrm;
     end $$`,
  ]),
  step('MetadataOrder1700000004000', 'orders the values of metadata', METADATA_ORDER),
  step('ChunksByDocument1700000005000', 'changes the key of chunks', [
    `alter table chunks drop constraint chunks_pkey,
       add constraint chunks_pkey primary key (document_id, app_id, chunk_number, revision)`,
  ]),
  step('DocumentSample1700000006000', 'indexes a sample of documents', [
    'create index documents_sample on documents (app_id, uuid_hash_extended(external_id, 0))',
  ]),
  step('MetadataHashes1700000007000', 'indexes the values of metadata', [
    `create function hash_metadata(metadata jsonb) returns bigint[]
       language sql immutable strict parallel safe as $$
         select array(
           select hashtextextended(k.key collate "C", jsonb_hash_extended(e, 0))
           from jsonb_each(metadata) k
           cross join lateral jsonb_path_query(k.value, 'lax $[*]') e
           where jsonb_typeof(e) in ('string', 'number', 'boolean')
         )
       $$`,
    'alter table documents add metadata_hashes bigint[] not null generated always as (hash_metadata(metadata)) stored',
    'create index documents_metadata_hashes on documents using gin (metadata_hashes)',
  ]),
  step('DocumentsById1700000008000', 'changes the key of documents', [
    ...OF_DOCUMENTS.map((table) => `alter table ${table} drop constraint ${table}_app_id_document_id_fkey`),
    'alter table documents drop constraint documents_pkey, add constraint documents_pkey primary key (external_id, app_id)',
    ...OF_DOCUMENTS.map(
      (table) =>
        `alter table ${table} add constraint ${table}_app_id_document_id_fkey
           foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade`,
    ),
  ]),
  step('GeneratedColumns1700000010000', 'lists generated columns', [
    `create table if not exists typeorm_metadata (
       type varchar not null, database varchar, schema varchar, "table" varchar, name varchar, value text
     )`,
    `insert into typeorm_metadata (type, database, schema, "table", name, value) values
       ('GENERATED_COLUMN', current_database(), current_schema(), 'documents', 'metadata_hashes', 'hash_metadata(metadata)')`,
  ]),
  step('ChunkContext1700000012000', 'adds the context of chunks', [
    `alter table chunks add column context text not null default ''`,
  ]),
  step('Pages1700000013000', 'creates the table of pages', [
    `alter table documents add column page_revisions bigint[] not null default '{}'`,
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
       context text not null default '',
       vectors bytea not null,
       vector_count integer not null,
       encoding halfvec not null,
       fingerprint bytea,
       primary key (document_id, app_id, page_number, revision),
       unique (app_id, page_id),
       foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
     )`,
    'alter table pages alter column vectors set storage external',
  ]),
  step('PageSearch1700000014000', 'changes what pages are found by', [
    'alter table pages rename column encoding to pooled',
    'alter table pages drop column fingerprint',
    'alter table pages add column fingerprint bit(64)',
    // The next start asks for a reindex.
    `update service_state set value = value || jsonb_build_object('model', (value ->> 'model') || ' of an earlier version')
     where name = 'page_space'`,
  ]),
  step('Summaries1700000015000', 'creates the tables of summaries', [
    summaryTable('document', 'external_id'),
    summaryTable('folder', 'folder_id'),
  ]),
  step('DocumentsInFolders1700000016000', 'indexes the documents of folders', [
    'create index documents_in_folder on documents (app_id, folder_id, external_id)',
  ]),
  step('Tenants1700000017000', 'creates the tables of rate limits and operations', [
    `alter table apps
       add column token_version integer not null default 0,
       add column removing_since timestamptz`,
    'alter table pages add column image_size integer not null default 0',
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
  ]),
  step('FairQueues1700000018000', 'lets tenants take turns in the queue', [
    `create table ingestion_turns (
       app_id text primary key references apps on delete cascade,
       taken_at timestamptz not null
     ) with (fillfactor = 50)`,
    `alter table ingestion_jobs
       add column size bigint not null default 0,
       add column order_at timestamptz not null default now()`,
    'update ingestion_jobs set order_at = run_at',
    'drop index ingestion_jobs_due, ingestion_jobs_document',
    `create index ingestion_jobs_order on ingestion_jobs (app_id, order_at, revision, size, run_at)
       where state = 'queued'`,
    `create index ingestion_jobs_running on ingestion_jobs (app_id, job_id) where state = 'running'`,
    'create index ingestion_jobs_document on ingestion_jobs (app_id, document_id, revision)',
    `create index documents_unfinished on documents (status) where status <> 'completed'`,
  ]),
];
