import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Remembers what tells people of one name apart who sign in elsewhere, from their next sign-in or check on. */
export class ProviderDetails1700000049950 implements DescribedMigration {
  readonly about = 'remembers the e-mail address of people who sign in at an identity provider';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table provider_accounts add column detail text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table provider_accounts drop column detail');
  }
}
