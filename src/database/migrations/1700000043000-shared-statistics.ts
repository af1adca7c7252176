import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Counts the words of the documents that everyone in their tenant may read apart from those of other documents. Scores
 * are computed from the former, so that no score tells what a private document contains.
 */
export class SharedStatistics1700000043000 implements DescribedMigration {
  readonly about = 'counts the words of private documents apart, so that scores do not depend on them';

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
    const tenants = (await queryRunner.query(
      'select distinct app_id from documents where not in_shared_statistics and chunk_count > 0',
    )) as { app_id: string }[];
    for (const { app_id } of tenants) {
      for (const statement of WITHOUT_PRIVATE) await queryRunner.query(statement, [app_id]);
    }
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('alter table term_stats drop column shared_count');
    await queryRunner.query('alter table corpus_stats drop column shared_count');
    await queryRunner.query('alter table documents drop column in_shared_statistics');
  }
}

const STATEMENTS = [
  // Most documents are shared. With this default their rows are not written.
  'alter table documents add column in_shared_statistics boolean not null default true',
  `update documents set in_shared_statistics = false where not ('everyone' = any(readers))`,
  // A document without chunks adds no words. Its first version sets the column.
  'alter table documents alter column in_shared_statistics set default false',
  'alter table corpus_stats add column shared_count bigint not null default 0',
  'update corpus_stats set shared_count = chunk_count',
  'alter table term_stats add column shared_count integer not null default 0',
  'update term_stats set shared_count = chunk_count',
];

/** Subtract the chunks of private documents of the tenant $1. */
const WITHOUT_PRIVATE = [
  `update corpus_stats set shared_count = shared_count - (
     select count(*) from chunks c
     join documents d on d.app_id = $1 and d.external_id = c.document_id and c.revision = any(d.live_revisions)
     where c.app_id = $1 and not d.in_shared_statistics)
   where app_id = $1`,
  `update term_stats s set shared_count = s.shared_count - p.chunk_count
   from (
     select t.key, count(*)::integer as chunk_count
     from chunks c
     join documents d on d.app_id = $1 and d.external_id = c.document_id and c.revision = any(d.live_revisions)
     cross join unnest(c.terms) as t(key)
     where c.app_id = $1 and not d.in_shared_statistics
     group by t.key
   ) p
   where s.app_id = $1 and s.key = p.key`,
];
