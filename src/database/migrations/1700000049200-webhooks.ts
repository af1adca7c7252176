import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Adds webhooks and their deliveries. The tables are not distributed over the nodes of a cluster: one statement finds the
 * deliveries that are due, of all tenants.
 */
export class Webhooks1700000049200 implements DescribedMigration {
  readonly about = 'adds webhooks and their deliveries';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create table webhooks (
         app_id text not null references apps on delete cascade,
         webhook_id uuid not null,
         key_id text not null,
         owner text collate "C",
         holder jsonb not null,
         url text not null,
         description text,
         types text[] not null,
         folders text[],
         folder_depth integer not null,
         filter text,
         end_user_id text collate "C",
         secret text not null,
         previous_secret text,
         previous_secret_until timestamptz,
         xid bigint not null,
         seq bigint not null,
         enabled boolean not null default true,
         disabled_at timestamptz,
         disabled_reason text,
         failing_since timestamptz,
         created_at timestamptz not null default now(),
         updated_at timestamptz not null default now(),
         primary key (app_id, webhook_id)
       )`,
    );
    await queryRunner.query(
      `create table webhook_deliveries (
         app_id text not null,
         delivery_id uuid not null,
         webhook_id uuid not null,
         type text not null,
         xid bigint,
         seq bigint,
         document_id uuid,
         happened_at timestamptz not null,
         state text not null default 'waiting',
         attempts integer not null default 0,
         next_attempt_at timestamptz,
         last_attempt_at timestamptz,
         last_status_code integer,
         last_error text,
         created_at timestamptz not null default now(),
         primary key (app_id, delivery_id),
         foreign key (app_id, webhook_id) references webhooks (app_id, webhook_id) on delete cascade
       )`,
    );
    for (const index of INDEXES) await queryRunner.query(index);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table webhook_deliveries');
    await queryRunner.query('drop table webhooks');
  }
}

const INDEXES = [
  `create unique index webhook_deliveries_events on webhook_deliveries (app_id, webhook_id, xid, seq, document_id)`,
  `create index webhook_deliveries_listed on webhook_deliveries (app_id, webhook_id, delivery_id)`,
  `create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where state = 'waiting'`,
  `create index webhook_deliveries_happened on webhook_deliveries (happened_at)`,
];
