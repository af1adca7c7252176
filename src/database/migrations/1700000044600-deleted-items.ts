import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';
import { createTables, dropTables, type NewTable } from './new-tables.js';

const TABLES: readonly NewTable[] = [
  {
    name: 'deleted_items',
    columns: `app_id text not null,
      conversation_id uuid not null,
      item_id text collate "C" not null,
      position integer not null,
      primary key (app_id, conversation_id, item_id)`,
    foreignKeys: [
      'foreign key (app_id, conversation_id) references conversations (app_id, conversation_id) on delete cascade',
    ],
    indexes: [],
  },
];

/** Remembers where a deleted item stood in its conversation, so that a listing can go on behind it. */
export class DeletedItems1700000044600 implements DescribedMigration {
  readonly about = 'creates the table of items that were deleted from conversations';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createTables(queryRunner, TABLES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTables(queryRunner, TABLES);
  }
}
