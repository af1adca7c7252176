import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Makes tables without a key replicate their rows by all columns. Citus moves shards under writes by logical replication
 * (docs/operate/scale.md), which requires a replica identity.
 */
export class ReplicaIdentity1700000023000 implements DescribedMigration {
  readonly about = 'lets shards of a cluster move during writes';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table metadata_order replica identity full');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table metadata_order replica identity default');
  }
}
