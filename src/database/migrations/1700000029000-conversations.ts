import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';
import { createTables, dropTables, type NewTable } from './new-tables.js';

const TABLES: readonly NewTable[] = [
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
    // json keeps the order of keys and the digits of numbers.
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
      `foreign key (app_id, conversation_id) references conversations (app_id, conversation_id) on delete cascade`,
    ],
    indexes: [],
  },
];

export class Conversations1700000029000 implements DescribedMigration {
  readonly about = 'creates the tables of conversations and their items';

  up(queryRunner: QueryRunner): Promise<void> {
    return createTables(queryRunner, TABLES);
  }

  down(queryRunner: QueryRunner): Promise<void> {
    return dropTables(queryRunner, TABLES);
  }
}
