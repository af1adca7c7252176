import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * TypeORM's own table of the expressions of generated columns, without which it cannot compare entities with tables.
 * It has a row for each of them, as if TypeORM had made the column.
 */
export class GeneratedColumns1700000010000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create table if not exists typeorm_metadata (
         type varchar not null, database varchar, schema varchar, "table" varchar, name varchar, value text
       )`,
    );
    await queryRunner.query(
      `insert into typeorm_metadata (type, database, schema, "table", name, value) values
         ('GENERATED_COLUMN', current_database(), current_schema(), 'documents', 'metadata_hashes', 'hash_metadata(metadata)')`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table typeorm_metadata');
  }
}
