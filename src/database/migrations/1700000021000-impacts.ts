import type { QueryRunner } from 'typeorm';
import type { DescribedMigration } from './described-migration.js';

/**
 * Stores the BM25 impact of each term with its chunk, as a sparse vector, and replaces the table of postings with a GIN
 * index over keys: see src/lexical/impacts.ts and src/chunks/bm25.ts, whose arithmetic is repeated here. Every
 * row is rewritten, so the vector indexes are dropped, and the start creates them again.
 */
export class Impacts1700000021000 implements DescribedMigration {
  readonly about =
    'writes every chunk anew with the impact of each of its terms; with many chunks this takes minutes, and the vector index is rebuilt afterwards';

  async up(queryRunner: QueryRunner): Promise<void> {
    const indexes = (await queryRunner.query(
      `select indexname from pg_indexes where schemaname = current_schema() and indexname like 'chunks\\_embedding\\_%'`,
    )) as { indexname: string }[];
    for (const { indexname } of indexes) await queryRunner.query(`drop index "${indexname}"`);
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  /** Irreversible: the terms themselves are lost. Restore an earlier backup instead. */
  down(): Promise<void> {
    return Promise.reject(new Error('the schema cannot be reverted to before 1700000021000-impacts'));
  }
}

const HASH32 = (text: string): string =>
  `('x' || left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 8))::bit(32)::bigint`;

const STATEMENTS = [
  'alter table chunks add column impacts sparsevec(536870912), add column keys bigint[]',
  // Only few texts exceed a page. Then the columns that a search reads last are stored out of line.
  `alter table chunks alter column embedding set storage main, alter column impacts set storage main,
     alter column keys set storage main`,
  `update chunks c set impacts = r.impacts, keys = r.keys
   from (
     select w.app_id, w.chunk_id,
       ('{' || string_agg(w.number || ':' || w.impact, ',' order by w.number) || '}/536870912')::sparsevec as impacts,
       array_agg(((w.tenant << 32) | ((w.number - 1) * 4
         + case when w.impact >= 0.7 then 3 when w.impact >= 0.6 then 2 when w.impact >= 0.45 then 1 else 0 end))) as keys
     from (
       select p.app_id, p.chunk_id, ${HASH32('p.app_id')} as tenant, (${HASH32('p.term')} >> 3) + 1 as number,
         max(round(p.tf / (p.tf + 1.2 * (0.25 + 0.75 * p.len / 128.0)), 4)) as impact
       from postings p
       where p.term !~ '[+][^+]'
       group by p.app_id, p.chunk_id, number
     ) w
     group by w.app_id, w.chunk_id
   ) r
   where c.app_id = r.app_id and c.chunk_id = r.chunk_id`,
  `update chunks set impacts = '{}/536870912', keys = '{}' where impacts is null`,
  'drop table postings',
  'alter table chunks drop column terms',
  'alter table chunks drop column length',
  'alter table chunks drop column chunk_id',
  'alter table chunks rename column keys to terms',
  'alter table chunks alter column terms set not null, alter column impacts set not null',
  // A pending list would speed writes up slightly and slow every search down.
  'create index chunks_terms on chunks using gin (terms) with (fastupdate = off)',
  'alter table corpus_stats drop column total_length',
  'drop table term_stats',
  `create table term_stats (
     app_id text collate "C" not null,
     key bigint not null,
     chunk_count integer not null,
     primary key (app_id, key)
   )`,
  `insert into term_stats (app_id, key, chunk_count)
   select c.app_id, t.key, count(*)
   from chunks c
   join documents d on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
   cross join unnest(c.terms) as t(key)
   group by c.app_id, t.key`,
];
