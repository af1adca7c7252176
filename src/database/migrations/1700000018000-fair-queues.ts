import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Jobs are taken in turn over tenants, and short ones of a tenant before long ones: `ingestion/claim-statement.ts`. */
export class FairQueues1700000018000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop index documents_unfinished');
    await queryRunner.query('drop table ingestion_turns');
    await queryRunner.query(
      'drop index ingestion_jobs_order, ingestion_jobs_running, ingestion_jobs_document',
    );
    await queryRunner.query('alter table ingestion_jobs drop column size, drop column order_at');
    await queryRunner.query(
      `create index ingestion_jobs_due on ingestion_jobs (run_at) where state <> 'dead'`,
    );
    await queryRunner.query('create index ingestion_jobs_document on ingestion_jobs (app_id, document_id)');
  }
}

const STATEMENTS = [
  `create table ingestion_turns (
     app_id text primary key references apps on delete cascade,
     taken_at timestamptz not null
   ) with (fillfactor = 50)`,

  // Jobs that are there keep their order.
  `alter table ingestion_jobs
     add column size bigint not null default 0,
     add column order_at timestamptz not null default now()`,
  'update ingestion_jobs set order_at = run_at',

  'drop index ingestion_jobs_due, ingestion_jobs_document',
  `create index ingestion_jobs_order on ingestion_jobs (app_id, order_at, revision, size, run_at)
     where state = 'queued'`,
  `create index ingestion_jobs_running on ingestion_jobs (app_id, job_id) where state = 'running'`,
  'create index ingestion_jobs_document on ingestion_jobs (app_id, document_id, revision)',

  // For counting them in an installation of millions.
  `create index documents_unfinished on documents (status) where status <> 'completed'`,
];
