import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** The checksums of uploaded files. Files that are already there have none. */
export class FileSums1700000035000 implements DescribedMigration {
  readonly about = 'adds the checksums of uploaded files';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table files add column sha256 text');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table files drop column sha256');
  }
}
