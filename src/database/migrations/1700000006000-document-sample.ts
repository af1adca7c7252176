import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Documents in an order that has to do with nothing: the first of them are a fair sample, though ids tell the time. */
export class DocumentSample1700000006000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'create index documents_sample on documents (app_id, uuid_hash_extended(external_id, 0))',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index documents_sample');
  }
}
