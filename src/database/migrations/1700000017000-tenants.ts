import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What managing tenants needs: how often their key was rotated, since when one is being removed, the counters of the
 * rate limit over several processes, the log of operations, and the sizes of page images.
 */
export class Tenants1700000017000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table operation_log, rate_limits');
    await queryRunner.query('alter table pages drop column image_size');
    await queryRunner.query('alter table apps drop column token_version, drop column removing_since');
  }
}

const STATEMENTS = [
  `alter table apps
     add column token_version integer not null default 0,
     add column removing_since timestamptz`,

  // Bytes; 0 for images that were stored before.
  'alter table pages add column image_size integer not null default 0',

  // Counters of a minute: not worth a write to the log of the database, which every request would wait for. After a
  // crash of the server they begin anew.
  `create unlogged table rate_limits (
     app_id text not null references apps on delete cascade,
     key_id text not null,
     used integer not null,
     ends_at timestamptz not null,
     primary key (app_id, key_id)
   ) with (fillfactor = 50)`,

  `create table operation_log (
     app_id text not null references apps on delete cascade,
     entry_id bigint generated always as identity,
     logged_at timestamptz not null,
     operation_type text not null,
     status text not null check (status in ('success', 'error')),
     status_code integer not null,
     duration_ms double precision not null,
     tokens_used integer not null,
     key_id text not null,
     request_id text not null,
     primary key (app_id, entry_id)
   )`,
  'create index operation_log_logged on operation_log (logged_at)',
];
