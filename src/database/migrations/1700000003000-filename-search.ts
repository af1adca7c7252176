import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Trigrams of file names, which the search by name narrows its look with. Without the right to make the extension, or
 * without it on the server, there is no index, and that search reads all names of the tenant.
 */
export class FilenameSearch1700000003000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      do $$
      begin
        create extension if not exists pg_trgm;
        create index documents_filename_trigrams on documents using gin (lower(filename collate "C") gin_trgm_ops);
      exception when insufficient_privilege or undefined_file or feature_not_supported then
        raise notice 'file names are searched without an index: %', sqlerrm;
      end $$`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index if exists documents_filename_trigrams');
  }
}
