import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Chats that their reader pins or puts into a folder, and the revision by which a client notices a change. */
export class KeptChats1700000049700 implements DescribedMigration {
  readonly about = 'lets readers pin chats and group them, and counts the changes of each';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table conversations
      add column pinned boolean not null default false,
      add column folder text,
      add column revision integer not null default 0`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table conversations drop column pinned, drop column folder, drop column revision',
    );
  }
}
