import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * The tenant has the database's own collation in every table: tables that are distributed by it lie together only then
 * (docs/scaling.md). Index entries of one tenant are told apart by what comes behind it, in the "C" collation as before.
 */
export class OneCollation1700000022000 implements DescribedMigration {
  readonly about = 'gives the tenant one collation in all tables';

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
