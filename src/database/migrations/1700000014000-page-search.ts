import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What pages are found by: the mean of their vectors, and fingerprints as bits. Until now pages had an encoding of
 * another kind, which nothing was found by, and no fingerprint; the next start asks for a reindex where there are any.
 */
export class PageSearch1700000014000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table pages rename column encoding to pooled');
    await queryRunner.query('alter table pages drop column fingerprint');
    await queryRunner.query('alter table pages add column fingerprint bit(64)');
    await queryRunner.query(
      `update service_state set value = value || jsonb_build_object('model', (value ->> 'model') || ' of an earlier version')
       where name = 'page_space'`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table pages drop column fingerprint');
    await queryRunner.query('alter table pages add column fingerprint bytea');
    await queryRunner.query('alter table pages rename column pooled to encoding');
  }
}
