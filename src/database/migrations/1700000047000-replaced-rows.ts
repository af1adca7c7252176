import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';
import { createTables, dropTables, type NewTable } from './new-tables.js';

const TABLES: readonly NewTable[] = [
  {
    name: 'replaced_rows',
    columns: `app_id text not null,
      replaced_id uuid not null default gen_random_uuid(),
      replaced_at timestamptz not null default now(),
      table_name text not null,
      content jsonb not null,
      primary key (app_id, replaced_id)`,
    foreignKeys: [],
    indexes: [],
  },
];

/** Keeps the rows that a repair replaces or deletes, until the operator discards them after a backup. */
export class ReplacedRows1700000047000 implements DescribedMigration {
  readonly about = 'creates the table of rows that a repair has replaced';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createTables(queryRunner, TABLES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTables(queryRunner, TABLES);
  }
}
