import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The documents of a folder by its id: for counting and listing them from the index alone, and for the look whether a
 * folder that goes is still referred to, which read all documents for each folder.
 */
export class DocumentsInFolders1700000016000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('create index documents_in_folder on documents (app_id, folder_id, external_id)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index documents_in_folder');
  }
}
