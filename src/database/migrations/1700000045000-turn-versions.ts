import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Lets turns of a chat stay when others replace them. */
export class TurnVersions1700000045000 implements DescribedMigration {
  readonly about = 'keeps the messages of a chat that a retry or an edit replaces';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table turns add column version integer not null default 0');
    await queryRunner.query('alter table turns drop constraint turns_pkey');
    await queryRunner.query(
      'alter table turns add constraint turns_pkey primary key (app_id, conversation_id, position, version)',
    );
  }

  /** Deletes the replaced turns, which the older schema cannot hold. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('delete from turns where version > 0');
    await queryRunner.query('alter table turns drop constraint turns_pkey');
    await queryRunner.query(
      'alter table turns add constraint turns_pkey primary key (app_id, conversation_id, position)',
    );
    await queryRunner.query('alter table turns drop column version');
  }
}
