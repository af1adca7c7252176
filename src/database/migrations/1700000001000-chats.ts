import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Conversations and their turns. A chat is known to its clients by the id they chose, within a tenant and an end user;
 * its key is ours, so that turns need not repeat the three.
 */
export class Chats1700000001000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table chat_turns, chats');
  }
}

const STATEMENTS = [
  `create table chats (
     app_id text not null references apps on delete cascade,
     chat_key uuid not null default gen_random_uuid(),
     chat_id text collate "C" not null,
     end_user_id text collate "C",
     title text not null,
     turn_count integer not null,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     primary key (app_id, chat_key)
   )`,
  // No end user is an owner of its own, apart from one whose id is the empty string.
  `create unique index chats_identity
     on chats (app_id, chat_id, (end_user_id is null), (coalesce(end_user_id, '')))`,
  'create index chats_updated on chats (app_id, updated_at desc, chat_key)',

  `create table chat_turns (
     app_id text not null,
     chat_key uuid not null,
     position integer not null,
     role text not null check (role in ('user', 'assistant')),
     content text not null,
     created_at timestamptz not null default clock_timestamp(),
     primary key (app_id, chat_key, position),
     foreign key (app_id, chat_key) references chats (app_id, chat_key) on delete cascade
   )`,
];
