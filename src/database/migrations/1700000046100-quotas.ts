import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/** Adds counts of what tenants and people use, and what a key may use. */
export class Quotas1700000046100 implements DescribedMigration {
  readonly about = 'adds quotas of tenants, people and keys';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const column of COLUMNS) await queryRunner.query(`alter table api_keys add column ${column}`);
    // The table has no place on the nodes of a cluster: a token is counted before its tenant has rows there.
    await queryRunner.query(
      `create table quota_counts (
         app_id text not null references apps on delete cascade,
         subject text collate "C" not null,
         kind text not null,
         used bigint not null,
         ends_at timestamptz,
         primary key (app_id, subject, kind)
       )`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop table quota_counts');
    for (const column of COLUMNS) {
      await queryRunner.query(`alter table api_keys drop column ${column.split(' ', 1)[0]}`);
    }
  }
}

const COLUMNS = ['quotas jsonb', 'models text[]', 'max_answer_tokens integer'];
