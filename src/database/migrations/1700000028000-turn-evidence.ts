import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** An answer in a chat keeps what it rests on; answers from before have nothing. */
export class TurnEvidence1700000028000 implements DescribedMigration {
  readonly about = 'keeps the citations and sources of answers in chats';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table chat_turns add column evidence jsonb');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table chat_turns drop column evidence');
  }
}
