import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Adds the table of seals. A seal chains an entry of the audit log to the entries before it. It is a row of its own: a
 * trigger refuses every update of the log, and the log may belong to a role other than the one that migrates.
 */
export class AuditChain1700000048300 implements DescribedMigration {
  readonly about = 'chains the entries of the audit log by hashes';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table audit_seals');
  }
}

const STATEMENTS = [
  `create table audit_seals (
     app_id text not null,
     position bigint not null,
     entry_id bigint not null,
     hash text not null,
     sealed_at timestamptz not null default clock_timestamp(),
     primary key (app_id, position),
     constraint audit_seals_entry unique (app_id, entry_id)
   )`,
  `create trigger audit_seals_kept before update or delete or truncate on audit_seals
     for each statement execute function keep_audit_log()`,
];
