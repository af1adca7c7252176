import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Records for which folder and filter a browser token began a chat, conversation or response. */
export class TalkBounds1700000048400 implements DescribedMigration {
  readonly about = 'adds to conversations the folder and filter of the token that began them';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table conversations add column bound jsonb');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table conversations drop column bound');
  }
}
