import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Lets uploaded files and batches of files belong to an end user, as documents can. Existing files and batches are
 * shared.
 */
export class FileOwners1700000034000 implements DescribedMigration {
  readonly about = 'adds the end user to uploaded files and to batches of files';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table files add column end_user_id text');
    await queryRunner.query('alter table file_batches add column end_user_id text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table file_batches drop column end_user_id');
    await queryRunner.query('alter table files drop column end_user_id');
  }
}
