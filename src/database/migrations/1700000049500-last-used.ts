import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Remembers when a key was last used. The operation log forgets within a week. */
export class LastUsed1700000049500 implements DescribedMigration {
  readonly about = 'remembers when a key was last used';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table api_keys add column last_used_at timestamptz');
    await queryRunner.query('create index api_keys_people on api_keys (app_id, end_user_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index api_keys_people');
    await queryRunner.query('alter table api_keys drop column last_used_at');
  }
}
