import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';
import { createTables, dropTables, type NewTable } from './new-tables.js';

/**
 * Uploaded files, vector stores (a folder with a name and metadata), files in them (a document with a file) and batches.
 */
const TABLES: readonly NewTable[] = [
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
    // A row goes in the transaction that attaches its file; what is left is still to do, cancelled or failed.
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

export class VectorStores1700000025000 implements DescribedMigration {
  readonly about = 'creates the tables of uploaded files, vector stores and their files';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createTables(queryRunner, TABLES);
    await queryRunner.query('alter table documents add column error_kind text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table documents drop column error_kind');
    await dropTables(queryRunner, TABLES);
  }
}
