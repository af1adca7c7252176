import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Adds the networks to which a key is limited, and an audit log of what administrators do. A trigger prevents the
 * service from changing and deleting rows of the audit log. The rows have no foreign key, so that they remain when
 * their tenant is removed.
 */
export class Audit1700000032000 implements DescribedMigration {
  readonly about = 'creates the audit log, and lets keys be limited to networks';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table audit_log');
    await queryRunner.query('drop function keep_audit_log');
    await queryRunner.query('alter table api_keys drop column networks');
  }
}

const STATEMENTS = [
  'alter table api_keys add column networks text[]',
  `create table audit_log (
     app_id text not null,
     entry_id bigint generated always as identity,
     logged_at timestamptz not null default clock_timestamp(),
     key_id text not null,
     person text,
     address text,
     action text not null,
     subject text,
     outcome text not null check (outcome in ('done', 'refused', 'failed')),
     status_code integer,
     request_id text,
     primary key (app_id, entry_id)
   )`,
  'create index audit_log_logged on audit_log (logged_at)',
  // To delete old entries, an operator disables the trigger as the owner of the table (docs/operate/security.md).
  `create function keep_audit_log() returns trigger language plpgsql as $$
   begin
     raise exception 'the audit log is append-only' using errcode = 'insufficient_privilege';
   end $$`,
  `create trigger audit_log_kept before update or delete or truncate on audit_log
     for each statement execute function keep_audit_log()`,
];
