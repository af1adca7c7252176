import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Remembers when an administrator ended the access of a person, by whichever way the person comes back. */
export class EndedAccess1700000049960 implements DescribedMigration {
  readonly about = 'remembers whose access an administrator ended';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table api_keys add column access_ended_at timestamptz');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table api_keys drop column access_ended_at');
  }
}
