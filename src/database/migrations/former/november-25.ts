import type { QueryRunner } from 'typeorm';
import { createTables, type NewTable } from '../new-tables.js';
import { CONTEXTS } from './contexts.js';
import { step, type FormerStep } from './step.js';

const HASH32 = (text: string): string =>
  `('x' || left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 8))::bit(32)::bigint`;

/** Stores the BM25 impact of each term with its chunk, and replaces the table of postings with an index over keys. */
const IMPACTS = [
  // The start of the service creates the vector index again.
  `do $$
   declare name text;
   begin
     for name in select indexname from pg_indexes
       where schemaname = current_schema() and indexname like 'chunks\\_embedding\\_%'
     loop execute format('drop index %I', name); end loop;
   end $$`,
  'alter table chunks add column impacts sparsevec(536870912), add column keys bigint[]',
  `alter table chunks alter column embedding set storage main, alter column impacts set storage main,
     alter column keys set storage main`,
  `update chunks c set impacts = r.impacts, keys = r.keys
   from (
     select w.app_id, w.chunk_id,
       ('{' || string_agg(w.number || ':' || w.impact, ',' order by w.number) || '}/536870912')::sparsevec as impacts,
       array_agg(((w.tenant << 32) | ((w.number - 1) * 4
         + case when w.impact >= 0.7 then 3 when w.impact >= 0.6 then 2 when w.impact >= 0.45 then 1 else 0 end))) as keys
     from (
       select p.app_id, p.chunk_id, ${HASH32('p.app_id')} as tenant, (${HASH32('p.term')} >> 3) + 1 as number,
         max(round(p.tf / (p.tf + 1.2 * (0.25 + 0.75 * p.len / 128.0)), 4)) as impact
       from postings p
       where p.term !~ '[+][^+]'
       group by p.app_id, p.chunk_id, number
     ) w
     group by w.app_id, w.chunk_id
   ) r
   where c.app_id = r.app_id and c.chunk_id = r.chunk_id`,
  `update chunks set impacts = '{}/536870912', keys = '{}' where impacts is null`,
  'drop table postings',
  'alter table chunks drop column terms',
  'alter table chunks drop column length',
  'alter table chunks drop column chunk_id',
  'alter table chunks rename column keys to terms',
  'alter table chunks alter column terms set not null, alter column impacts set not null',
  'create index chunks_terms on chunks using gin (terms) with (fastupdate = off)',
  'alter table corpus_stats drop column total_length',
  'drop table term_stats',
  `create table term_stats (
     app_id text collate "C" not null,
     key bigint not null,
     chunk_count integer not null,
     primary key (app_id, key)
   )`,
  `insert into term_stats (app_id, key, chunk_count)
   select c.app_id, t.key, count(*)
   from chunks c
   join documents d on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
   cross join unnest(c.terms) as t(key)
   group by c.app_id, t.key`,
];

const VECTOR_STORES: readonly NewTable[] = [
  {
    name: 'files',
    columns: `app_id text not null,
      file_id uuid not null,
      purpose text not null,
      filename text not null,
      content_type text not null,
      bucket text not null,
      object_key text not null,
      bytes bigint not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      primary key (app_id, file_id)`,
    foreignKeys: ['foreign key (app_id) references apps (app_id) on delete cascade'],
    indexes: ['create index files_expiring on files (expires_at) where expires_at is not null'],
  },
  {
    name: 'vector_stores',
    columns: `app_id text not null,
      folder_id uuid not null,
      name text,
      description text,
      metadata jsonb,
      expires_after_days integer,
      last_active_at timestamptz not null default now(),
      emptied_at timestamptz,
      primary key (app_id, folder_id)`,
    foreignKeys: ['foreign key (app_id, folder_id) references folders (app_id, folder_id) on delete cascade'],
    indexes: [],
  },
  {
    name: 'file_batches',
    columns: `app_id text not null,
      batch_id uuid not null,
      folder_id uuid not null,
      created_at timestamptz not null default now(),
      cancelled_at timestamptz,
      primary key (app_id, batch_id)`,
    foreignKeys: ['foreign key (app_id, folder_id) references folders (app_id, folder_id) on delete cascade'],
    indexes: ['create index file_batches_folder on file_batches (app_id, folder_id)'],
  },
  {
    name: 'file_batch_entries',
    columns: `app_id text not null,
      batch_id uuid not null,
      file_id uuid not null,
      folder_id uuid not null,
      metadata jsonb,
      chunking jsonb,
      created_at timestamptz not null default now(),
      error text,
      primary key (app_id, batch_id, file_id)`,
    foreignKeys: [
      'foreign key (app_id, batch_id) references file_batches (app_id, batch_id) on delete cascade',
    ],
    indexes: [
      'create index file_batch_entries_folder on file_batch_entries (app_id, folder_id)',
      'create index file_batch_entries_file on file_batch_entries (app_id, file_id)',
    ],
  },
  {
    name: 'file_attachments',
    columns: `app_id text not null,
      document_id uuid not null,
      file_id uuid not null,
      batch_id uuid,
      chunking jsonb,
      created_at timestamptz not null default now(),
      primary key (app_id, document_id)`,
    foreignKeys: [
      'foreign key (app_id, document_id) references documents (app_id, external_id) on delete cascade',
    ],
    indexes: [
      'create index file_attachments_file on file_attachments (app_id, file_id)',
      'create index file_attachments_batch on file_attachments (app_id, batch_id)',
    ],
  },
];

const RESPONSES: readonly NewTable[] = [
  {
    name: 'responses',
    columns: `app_id text not null,
      response_id uuid not null,
      end_user_id text collate "C",
      previous_id uuid,
      input json not null,
      response json not null,
      bytes integer not null,
      created_at timestamptz not null default now(),
      primary key (app_id, response_id)`,
    foreignKeys: ['foreign key (app_id) references apps (app_id) on delete cascade'],
    indexes: [],
  },
];

const CONVERSATIONS: readonly NewTable[] = [
  {
    name: 'conversations',
    columns: `app_id text not null,
      conversation_id uuid not null,
      end_user_id text collate "C",
      metadata jsonb not null,
      next_position integer not null default 0,
      created_at timestamptz not null default now(),
      primary key (app_id, conversation_id)`,
    foreignKeys: ['foreign key (app_id) references apps (app_id) on delete cascade'],
    indexes: [],
  },
  {
    name: 'conversation_items',
    columns: `app_id text not null,
      conversation_id uuid not null,
      position integer not null,
      item_id text collate "C" not null,
      item json not null,
      bytes integer not null,
      primary key (app_id, conversation_id, position),
      unique (app_id, conversation_id, item_id)`,
    foreignKeys: [
      'foreign key (app_id, conversation_id) references conversations (app_id, conversation_id) on delete cascade',
    ],
    indexes: [],
  },
];

/** A step that also creates tables, and on a cluster distributes them. */
function withTables(
  name: string,
  about: string,
  tables: readonly NewTable[],
  statements: readonly string[] = [],
): FormerStep {
  return {
    name,
    about,
    async up(queryRunner: QueryRunner) {
      await createTables(queryRunner, tables);
      for (const statement of statements) await queryRunner.query(statement);
    },
  };
}

/** The steps from November 24 to 26, 2026. Their result is the schema that the first migration creates. */
export const STEPS_OF_NOVEMBER_25: readonly FormerStep[] = [
  step('PagesWithoutVectors1700000020000', 'removes page vectors of the text model', [
    `alter table pages alter column vectors drop not null, alter column vector_count drop not null,
       alter column pooled drop not null, drop column context`,
    // The vectors of a text model repeat the words of a page. A search finds these pages through their passages.
    `do $$
     begin
       if exists (select from service_state where name = 'page_space' and value ->> 'model' like 'local/%') then
         drop index if exists pages_pooled;
         update pages set vectors = null, vector_count = null, pooled = null;
         delete from service_state where name = 'page_space';
       end if;
     end $$`,
    'create index if not exists pages_fingerprint on pages using hnsw (fingerprint bit_hamming_ops)',
  ]),
  step('Impacts1700000021000', 'writes every chunk anew with the impact of each of its terms', IMPACTS),
  step('OneCollation1700000022000', 'gives the tenant column one collation in all tables', [
    'alter table term_stats alter column app_id type text',
    'alter table metadata_order alter column app_id type text',
  ]),
  step('ReplicaIdentity1700000023000', 'lets shards of a cluster move during writes', [
    'alter table metadata_order replica identity full',
  ]),
  step('Parts1700000024000', 'lets tenants be divided into shards', [
    'alter table apps add column parts integer not null default 1',
    'alter table apps add constraint apps_parts_check check ((parts = 0) = (strpos(app_id || name, chr(31)) > 0))',
  ]),
  withTables('VectorStores1700000025000', 'creates the tables of files and vector stores', VECTOR_STORES, [
    'alter table documents add column error_kind text',
  ]),
  withTables('Responses1700000026000', 'creates the table of stored responses', RESPONSES),
  step('People1700000027000', 'lets keys belong to end users, and chats to keys', [
    'alter table api_keys add column end_user_id text collate "C"',
    'alter table api_keys add column sign_in_hash bytea',
    'alter table api_keys add column sign_in_expires_at timestamptz',
    'alter table chats add column key_id text collate "C"',
    'drop index chats_identity',
    `create unique index chats_identity on chats
       (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')), (coalesce(key_id, '')))`,
    'create index chats_owner on chats (app_id, end_user_id, key_id, updated_at, chat_key)',
  ]),
  step('TurnEvidence1700000028000', 'keeps the citations and sources of answers in chats', [
    'alter table chat_turns add column evidence jsonb',
  ]),
  withTables('Conversations1700000029000', 'creates the tables of conversations', CONVERSATIONS),
  CONTEXTS,
];
