import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';
import { createTables, dropTables, type NewTable } from './new-tables.js';

const TABLES: readonly NewTable[] = [
  {
    name: 'answer_feedback',
    columns: `app_id text not null,
      chat_key uuid not null,
      position integer not null,
      answered_at timestamptz not null,
      rating text not null,
      comment text,
      question text not null,
      answer text not null,
      evidence jsonb,
      search jsonb not null,
      rated_at timestamptz not null default clock_timestamp(),
      primary key (app_id, chat_key, position, answered_at),
      constraint answer_feedback_rating_check check (rating in ('good', 'bad'))`,
    foreignKeys: ['foreign key (app_id, chat_key) references chats (app_id, chat_key) on delete cascade'],
    indexes: ['create index answer_feedback_rated on answer_feedback (app_id, rated_at, chat_key, position)'],
  },
];

/** Lets chats store the options of their searches and the answers that were stopped. Lets users rate answers. */
export class Feedback1700000033000 implements DescribedMigration {
  readonly about = 'keeps search options and stopped answers in chats, and creates the table of feedback';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table chats add column search jsonb not null default '{}'`);
    await queryRunner.query('alter table chat_turns add column stopped boolean not null default false');
    await createTables(queryRunner, TABLES);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropTables(queryRunner, TABLES);
    await queryRunner.query('alter table chat_turns drop column stopped');
    await queryRunner.query('alter table chats drop column search');
  }
}
