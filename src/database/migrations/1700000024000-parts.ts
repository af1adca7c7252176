import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Lets tenants be divided into shards (src/auth/scope.ts). `parts` is their number, and 0 in the row of a shard.
 * The constraint keeps the separator in shard ids out of the ids and names of tenants.
 */
export class Parts1700000024000 implements DescribedMigration {
  readonly about = 'lets tenants be divided into shards';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table apps add column parts integer not null default 1');
    await queryRunner.query(
      `alter table apps add constraint apps_parts_check check ((parts = 0) = (strpos(app_id || name, chr(31)) > 0))`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table apps drop constraint apps_parts_check');
    await queryRunner.query('alter table apps drop column parts');
  }
}
