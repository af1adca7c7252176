import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';
import { createTables, dropTables, type NewTable } from './new-tables.js';

const TABLES: readonly NewTable[] = [
  {
    name: 'chat_links',
    columns: `app_id text not null,
      conversation_id uuid not null,
      link_id text collate "C" not null,
      created_at timestamptz not null default now(),
      expires_at timestamptz,
      primary key (app_id, conversation_id),
      constraint chat_links_link unique (app_id, link_id)`,
    foreignKeys: [
      'foreign key (app_id, conversation_id) references conversations (app_id, conversation_id) on delete cascade',
    ],
    indexes: [],
  },
];

/** Lets the owner of a chat share it by a link. */
export class ChatLinks1700000049800 implements DescribedMigration {
  readonly about = 'creates the table of links to chats';

  async up(queryRunner: QueryRunner): Promise<void> {
    await createTables(queryRunner, TABLES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTables(queryRunner, TABLES);
  }
}
