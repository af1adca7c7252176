import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * A table without a key tells logical replication its rows by all their columns. Citus moves shards that way while they
 * are written (docs/scaling.md), and refuses to where a table cannot tell its rows.
 */
export class ReplicaIdentity1700000023000 implements DescribedMigration {
  readonly about = 'lets shards of a cluster move while they are written';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table metadata_order replica identity full');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table metadata_order replica identity default');
  }
}
