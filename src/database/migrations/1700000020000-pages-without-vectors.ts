import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Only a model that reads page images gives pages vectors. This removes the vectors of the bundled text model, which
 * repeated the words of a page: a search finds these pages through their passages.
 */
export class PagesWithoutVectors1700000020000 implements DescribedMigration {
  readonly about = 'removes page vectors of the text model';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `alter table pages alter column vectors drop not null, alter column vector_count drop not null,
         alter column pooled drop not null, drop column context`,
    );
    const [local] = (await queryRunner.query(
      `select from service_state where name = 'page_space' and value ->> 'model' like 'local/%'`,
    )) as unknown[];
    if (local !== undefined) {
      await queryRunner.query('drop index if exists pages_pooled');
      await queryRunner.query('update pages set vectors = null, vector_count = null, pooled = null');
      await queryRunner.query(`delete from service_state where name = 'page_space'`);
    }
    await queryRunner.query(
      'create index if not exists pages_fingerprint on pages using hnsw (fingerprint bit_hamming_ops)',
    );
  }

  /** Deletes pages without vectors, which cannot be restored. A requeue renders them again. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index pages_fingerprint');
    await queryRunner.query('delete from pages where vectors is null');
    await queryRunner.query(
      `alter table pages alter column vectors set not null, alter column vector_count set not null,
         alter column pooled set not null, add column context text not null default ''`,
    );
  }
}
