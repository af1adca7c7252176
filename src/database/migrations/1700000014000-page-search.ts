import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Fingerprints as bits, by whose difference images are compared. No page has had one so far. */
export class PageSearch1700000014000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table pages drop column fingerprint');
    await queryRunner.query('alter table pages add column fingerprint bit(64)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table pages drop column fingerprint');
    await queryRunner.query('alter table pages add column fingerprint bytea');
  }
}
