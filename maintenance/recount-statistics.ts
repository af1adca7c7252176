import sql from 'sql-template-tag';
import type { EntityManager } from 'typeorm';
import { everyoneReads } from '../src/access/visible-to.js';
import { corpusStatement } from '../src/chunks/write-statements.js';
import { run } from '../src/database/run.js';

/**
 * Counts the statistics of a tenant shard again from its visible chunks and the readers of its documents. Writers may run meanwhile. Each writer locks
 * the shard's row of `corpus_stats` before it commits, so that the writer's chunks are either counted here or added to
 * the statistics afterwards.
 */
export async function recountStatistics(manager: EntityManager, appId: string): Promise<void> {
  await run(
    manager,
    sql`update documents d set in_shared_statistics = ${everyoneReads(sql`d.readers`)}
        where d.app_id = ${appId} and d.in_shared_statistics <> (${everyoneReads(sql`d.readers`)})`,
  );
  // Locks the row. Writers lock their document before this row.
  await run(manager, corpusStatement(appId, { all: 0, shared: 0 }));
  await run(manager, sql`delete from term_stats where app_id = ${appId}`);
  await run(
    manager,
    sql`insert into term_stats (app_id, key, chunk_count, shared_count)
        select c.app_id, t.key, count(*)::integer, (count(*) filter (where d.in_shared_statistics))::integer
        from chunks c
        join documents d on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
        cross join unnest(c.terms) as t(key)
        where c.app_id = ${appId} and d.app_id = ${appId}
        group by c.app_id, t.key`,
  );
  await run(
    manager,
    sql`update corpus_stats set (chunk_count, shared_count) = (
          select count(*), count(*) filter (where d.in_shared_statistics) from chunks c
          join documents d on d.app_id = c.app_id and d.external_id = c.document_id and c.revision = any(d.live_revisions)
          where c.app_id = ${appId} and d.app_id = ${appId})
        where app_id = ${appId}`,
  );
}
