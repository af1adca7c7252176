import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is embedded before the text of a chunk. Chunks that are there were embedded without anything. */
export class ChunkContext1700000012000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`alter table chunks add column context text not null default ''`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table chunks drop column context');
  }
}
