import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Answers of requests with an Idempotency-Key, kept for 24 hours. */
export class Idempotency1700000002000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `create table idempotency_keys (
         app_id text not null references apps on delete cascade,
         key text not null,
         request_hash bytea not null,
         response jsonb not null,
         created_at timestamptz not null default now(),
         primary key (app_id, key)
       )`,
    );
    await queryRunner.query('create index idempotency_keys_created on idempotency_keys (created_at)');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table idempotency_keys');
  }
}
