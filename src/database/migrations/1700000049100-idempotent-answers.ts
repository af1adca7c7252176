import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Lets an Idempotency-Key be claimed before its answer is known, and says which documents the answer shows. */
export class IdempotentAnswers1700000049100 implements DescribedMigration {
  readonly about = 'keeps the answers of all writes with an Idempotency-Key';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'alter table idempotency_keys add column status_code smallint not null default 200',
    );
    await queryRunner.query('alter table idempotency_keys add column running_until timestamptz');
    await queryRunner.query(`alter table idempotency_keys add column documents uuid[] not null default '{}'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    // A running claim and the answers of other routes mean nothing to the older version.
    await queryRunner.query(`delete from idempotency_keys where key like E'%\\n%\\n%'`);
    for (const column of ['documents', 'running_until', 'status_code']) {
      await queryRunner.query(`alter table idempotency_keys drop column ${column}`);
    }
  }
}
