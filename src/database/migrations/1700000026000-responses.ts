import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';
import { createTables, dropTables, type NewTable } from './new-tables.js';

const TABLES: readonly NewTable[] = [
  {
    // json keeps the order of keys and the digits of numbers.
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

export class Responses1700000026000 implements DescribedMigration {
  readonly about = 'creates the table of stored responses';

  up(queryRunner: QueryRunner): Promise<void> {
    return createTables(queryRunner, TABLES);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropTables(queryRunner, TABLES);
  }
}
