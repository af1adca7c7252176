import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Adds the checksum of an uploaded file. Existing files have no checksum. */
export class FileSums1700000035000 implements DescribedMigration {
  readonly about = 'adds the checksums of uploaded files';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table files add column sha256 text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table files drop column sha256');
  }
}
