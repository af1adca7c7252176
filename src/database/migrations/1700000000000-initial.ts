import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The first schema. Every key starts with the tenant (`app_id`), so that the tables can be distributed by it.
 * The HNSW index over `chunks.embedding` is made at start, when the dimensions of the embedding model are known.
 */
export class Initial1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'drop table ingestion_jobs, object_removals, postings, term_stats, corpus_stats, chunks, document_texts, documents, folders, api_keys, apps, service_state',
    );
  }
}

const STATEMENTS = [
  'create extension if not exists vector',

  // What the installation as a whole remembers: the embedding space, for one.
  `create table service_state (
     name text primary key,
     value jsonb not null
   )`,

  `create table apps (
     app_id text primary key,
     name text not null unique,
     created_at timestamptz not null default now()
   )`,

  `create table api_keys (
     app_id text not null references apps on delete cascade,
     jti uuid not null,
     name text not null,
     permissions text[] not null,
     created_at timestamptz not null default now(),
     expires_at timestamptz,
     revoked_at timestamptz,
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
     primary key (app_id, external_id),
     foreign key (app_id, folder_id) references folders (app_id, folder_id)
   )`,
  'create index documents_metadata on documents using gin (metadata jsonb_path_ops)',
  'create index documents_folder on documents (app_id, folder_path)',
  'create index documents_end_user on documents (app_id, end_user_id)',
  'create index documents_filename on documents (app_id, filename)',
  'create index documents_updated on documents (app_id, updated_at, external_id)',

  // The text of a document is the concatenation of its parts: an appended text is a new row, whatever the length
  // of what is there already.
  `create table document_texts (
     app_id text not null,
     document_id uuid not null,
     part integer not null,
     content text not null,
     start_offset integer not null,
     primary key (app_id, document_id, part),
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,

  // chunk_id is what postings point at; with its terms a chunk takes its postings along when it goes. length is the
  // number of its terms, counted with repetition; content_hash is the SHA-256 of its content. A chunk is seen when its
  // revision is one of its document's live_revisions: a job writes its chunks little by little under a revision of its
  // own, and a single small transaction swaps it in.
  `create table chunks (
     app_id text not null,
     document_id uuid not null,
     chunk_number integer not null,
     revision bigint not null,
     chunk_id bigint generated always as identity,
     content text not null,
     content_hash bytea not null,
     content_type text not null,
     start_offset integer not null,
     end_offset integer not null,
     page_number integer,
     metadata jsonb not null default '{}',
     terms text[] collate "C" not null,
     length integer not null,
     embedding halfvec not null,
     primary key (app_id, document_id, chunk_number, revision),
     unique (app_id, chunk_id),
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,

  // One row per term and chunk: BM25 from one covering index, without an extension.
  `create table postings (
     app_id text collate "C" not null,
     term text collate "C" not null,
     chunk_id bigint not null,
     tf integer not null,
     len integer not null,
     primary key (app_id, term, chunk_id) include (tf, len)
   )`,

  // Exact corpus statistics, changed in the transaction that changes the chunks.
  `create table term_stats (
     app_id text collate "C" not null,
     term text collate "C" not null,
     chunk_count integer not null,
     primary key (app_id, term)
   )`,
  `create table corpus_stats (
     app_id text primary key references apps on delete cascade,
     chunk_count bigint not null default 0,
     total_length bigint not null default 0
   )`,

  // Stored objects that have to go: those of deleted documents at once, those of an upload after a while, unless it
  // became a document. A key that ends in a slash stands for everything below it.
  `create table object_removals (
     app_id text not null,
     key text not null,
     due_at timestamptz not null,
     removing boolean not null default false,
     primary key (app_id, key)
   )`,
  'create index object_removals_due on object_removals (due_at)',

  // revision: of the chunks that the job writes. The jobs of one document run in the order of their revisions.
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
     primary key (app_id, job_id),
     foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade
   )`,
  `create index ingestion_jobs_due on ingestion_jobs (run_at) where state <> 'dead'`,
  'create index ingestion_jobs_document on ingestion_jobs (app_id, document_id)',
];
