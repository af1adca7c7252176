import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Gives the tenant column the database's default collation in every table: only then can Citus colocate tables
 * distributed by it (docs/operate/scale.md). The columns after it in an index keep the "C" collation.
 */
export class OneCollation1700000022000 implements DescribedMigration {
  readonly about = 'gives the tenant column one collation in all tables';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) await queryRunner.query(`alter table ${table} alter column app_id type text`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await queryRunner.query(`alter table ${table} alter column app_id type text collate "C"`);
    }
  }
}

const TABLES = ['term_stats', 'metadata_order'];
