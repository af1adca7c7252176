import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Adds the checksum of the bytes that a document was made of, by which duplicates are found. Documents made of one stored
 * file get its checksum. Texts that were posted before have none.
 */
export class DocumentSums1700000049000 implements DescribedMigration {
  readonly about = 'adds the checksums by which duplicates of documents are found';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table documents add column source_sha256 text');
    await queryRunner.query(
      `update documents set source_sha256 = (
         select f ->> 'sha256' from jsonb_array_elements(storage_files) f
         where f ->> 'key' = ingested_from -> 'source' ->> 'key' limit 1)
       where ingested_from -> 'source' ->> 'kind' in ('file', 'text')`,
    );
    await queryRunner.query(
      'create index documents_source on documents (app_id, source_sha256) where source_sha256 is not null',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index documents_source');
    await queryRunner.query('alter table documents drop column source_sha256');
  }
}
