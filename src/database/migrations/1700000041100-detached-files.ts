import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';
import { createTables, dropTables, type NewTable } from './new-tables.js';

const TABLES: readonly NewTable[] = [
  {
    name: 'detached_files',
    columns: `app_id text not null,
      folder_id uuid not null,
      file_id uuid not null,
      place bigint not null,
      detached_at timestamptz not null default now(),
      primary key (app_id, folder_id, file_id)`,
    foreignKeys: ['foreign key (app_id) references apps on delete cascade'],
    indexes: ['create index detached_files_detached on detached_files (detached_at)'],
  },
];

/** Remembers for a day where a removed file stood in its vector store, so that a listing can go on behind it. */
export class DetachedFiles1700000041100 implements DescribedMigration {
  readonly about = 'creates the table of files that were removed from vector stores';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createTables(queryRunner, TABLES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTables(queryRunner, TABLES);
  }
}
