import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';
import { createTables, dropTables, type NewTable } from './new-tables.js';

const TABLES: readonly NewTable[] = [
  {
    name: 'document_events',
    columns: `app_id text not null,
      xid bigint not null,
      seq bigint not null,
      external_id uuid not null,
      type text not null,
      data jsonb not null,
      happened_at timestamptz not null default now(),
      readers text[] not null default '{}',
      end_user_id text,
      folder_path text collate "C",
      filename text,
      metadata jsonb,
      metadata_types jsonb,
      primary key (app_id, xid, seq, external_id)`,
    foreignKeys: ['foreign key (app_id) references apps on delete cascade'],
    indexes: ['create index document_events_happened on document_events (happened_at)'],
  },
];

/** Records what happens to documents, for those who wait for it. */
export class Events1700000048500 implements DescribedMigration {
  readonly about = 'creates the table of events of documents';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createTables(queryRunner, TABLES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTables(queryRunner, TABLES);
  }
}
