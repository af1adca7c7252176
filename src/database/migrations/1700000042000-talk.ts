import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';
import { createTables, dropTables, type NewTable } from './new-tables.js';
import { FORMER_TABLES, MOVE_BACK, MOVE_TALK } from './talk-statements.js';

const TURNS: readonly NewTable[] = [
  {
    name: 'turns',
    columns: `app_id text not null,
      conversation_id uuid not null,
      position integer not null,
      role text not null,
      content text not null,
      evidence jsonb,
      stopped boolean not null default false,
      item_id text collate "C",
      item json,
      bytes integer not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (app_id, conversation_id, position),
      constraint turns_item unique (app_id, conversation_id, item_id),
      constraint turns_role_check check (role in ('user', 'assistant', 'system', 'developer', 'tool'))`,
    foreignKeys: [
      'foreign key (app_id, conversation_id) references conversations (app_id, conversation_id) on delete cascade',
    ],
    indexes: [],
  },
];

const COLUMNS = [
  `kind text not null default 'conversation'`,
  'owner text collate "C"',
  `readers text[] not null default '{}'`,
  'chat_id text collate "C"',
  'title text',
  `search jsonb not null default '{}'`,
  'previous_id uuid',
  'response json',
  'input_count integer',
  'updated_at timestamptz not null default now()',
];

const KINDS = `check (kind in ('chat', 'conversation', 'response'))`;

/** Moves chats, conversations and responses into one store with one owner and one form of evidence. */
export class Talk1700000042000 implements DescribedMigration {
  readonly about = 'moves chats, conversations and responses into one store';

  async up(queryRunner: QueryRunner): Promise<void> {
    await inSequence(queryRunner);
    for (const column of COLUMNS) await queryRunner.query(`alter table conversations add column ${column}`);
    await queryRunner.query(`alter table conversations add constraint conversations_kind_check ${KINDS}`);
    await queryRunner.query(`alter table conversations alter column metadata set default '{}'`);
    await queryRunner.query(
      'alter table conversations alter column conversation_id set default gen_random_uuid()',
    );
    await createTables(queryRunner, TURNS);
    for (const statement of MOVE_TALK) await queryRunner.query(statement);
    await moveFeedback(queryRunner, {
      from: { table: 'chats', column: 'chat_key' },
      to: { table: 'conversations', column: 'conversation_id' },
    });
    await dropTables(queryRunner, FORMER_TABLES);
    await queryRunner.query('alter table conversations drop column end_user_id');
    await queryRunner.query(
      `create unique index chats_identity on conversations (app_id, chat_id, (coalesce(owner, '')))`,
    );
    await queryRunner.query(
      `create index chats_readers on conversations using gin (readers) where kind = 'chat'`,
    );
    await queryRunner.query(
      `create index chats_updated on conversations (app_id, updated_at, conversation_id) where kind = 'chat'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await inSequence(queryRunner);
    for (const index of ['chats_updated', 'chats_readers', 'chats_identity']) {
      await queryRunner.query(`drop index ${index}`);
    }
    await queryRunner.query('alter table conversations add column end_user_id text collate "C"');
    await createTables(queryRunner, FORMER_TABLES);
    for (const statement of MOVE_BACK) await queryRunner.query(statement);
    await moveFeedback(queryRunner, {
      from: { table: 'conversations', column: 'conversation_id' },
      to: { table: 'chats', column: 'chat_key' },
    });
    await dropTables(queryRunner, TURNS);
    await queryRunner.query(`delete from conversations where kind <> 'conversation'`);
    await queryRunner.query('alter table conversations alter column conversation_id drop default');
    await queryRunner.query('alter table conversations alter column metadata drop default');
    await queryRunner.query('alter table conversations drop constraint conversations_kind_check');
    for (const column of COLUMNS) {
      await queryRunner.query(`alter table conversations drop column ${column.split(' ', 1).join('')}`);
    }
  }
}

/**
 * Makes a cluster run the statements of this transaction on one connection for each node. Otherwise it refuses to change
 * rows of a table whose foreign key it has just created. Has no effect on a single server.
 */
async function inSequence(queryRunner: QueryRunner): Promise<void> {
  await queryRunner.query(`select set_config('citus.multi_shard_modify_mode', 'sequential', true)`);
}

interface Place {
  readonly table: string;
  readonly column: string;
}

async function moveFeedback(
  queryRunner: QueryRunner,
  { from, to }: { readonly from: Place; readonly to: Place },
): Promise<void> {
  await queryRunner.query(
    `alter table answer_feedback drop constraint answer_feedback_app_id_${from.column}_fkey`,
  );
  await queryRunner.query(`alter table answer_feedback rename column ${from.column} to ${to.column}`);
  await queryRunner.query(
    `alter table answer_feedback add constraint answer_feedback_app_id_${to.column}_fkey
       foreign key (app_id, ${to.column}) references ${to.table} (app_id, ${to.column}) on delete cascade`,
  );
}
