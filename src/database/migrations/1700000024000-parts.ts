import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Tenants may be in parts (src/auth/tenant-shards.ts): `parts` is their number, and 0 in the row of a part itself. What
 * the ids of parts have between the tenant and the number can stand in no id and no name of a tenant.
 */
export class Parts1700000024000 implements DescribedMigration {
  readonly about = 'lets tenants be in parts';

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
