import type { DataSource } from 'typeorm';
import { toSql } from 'pgvector';
import sql, { raw } from 'sql-template-tag';
import { isEmbedded } from '../database/data-source.js';
import { run, type Queryable } from '../database/run.js';
import type { MultiVector, PageEmbedder } from '../multivector/page-embedder.js';
import type { ObjectStore } from '../storage/object-store.js';
import { encodedPage } from './page-vectors.js';
import { POOLED_INDEX, pooledIndex } from './page-index.js';
import { hasUnseenPages } from './page-space.js';

/** Pages whose images are in memory together. */
const BATCH = 8;

/** Where the next index grows beside the present one. */
const NEXT_INDEX = 'pages_pooled_next';

/** What takes the place of what. */
const COLUMNS = ['vectors', 'vector_count', 'pooled'] as const;

interface Pending {
  readonly app_id: string;
  readonly page_id: string;
  readonly object_key: string;
}

/**
 * Rebuilds the vectors of all pages with another page embedder: they grow in columns of their own while the present ones
 * answer, get their own index, and take the place of the present ones in one short transaction. Stopped half way, it
 * goes on where it was. Works over all tenants, as the operator's command that it is.
 */
export class PageReindexer {
  constructor(
    private readonly dataSource: DataSource,
    private readonly embedder: PageEmbedder,
    private readonly objects: ObjectStore,
  ) {}

  /**
   * @param report called after every batch with the pages that are done and the pages in all.
   * @returns false when there is nothing to do: no pages, or this embedder has seen them all.
   * @throws ProviderFailed when the page embedder fails; NotFound when the image of a page is not there. What is done
   *   stays done.
   */
  async reindex(report: (done: number, total: number) => void): Promise<boolean> {
    if (!(await hasUnseenPages(this.dataSource, this.embedder.model))) return false;
    await this.prepare();
    let dimensions = await this.embedAll(report, 0);
    if (!isEmbedded(this.dataSource)) {
      await run(this.dataSource, pooledIndex(dimensions, NEXT_INDEX, 'pooled_next'));
    }
    while (!(await this.switch(dimensions))) dimensions = await this.embedAll(report, dimensions);
    return true;
  }

  /** An earlier run may have been for another model: its vectors are of no use. */
  private async prepare(): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const [same] = await run(
        manager,
        sql`select from service_state where name = 'next_page_space' and value = ${JSON.stringify(this.embedder.model)}::jsonb`,
      );
      if (same !== undefined) return;
      await run(manager, sql`${raw(`drop index if exists ${NEXT_INDEX}`)}`);
      for (const column of COLUMNS) {
        await run(manager, sql`${raw(`alter table pages drop column if exists ${column}_next`)}`);
      }
      await run(
        manager,
        sql`alter table pages add column vectors_next bytea, add column vector_count_next integer,
              add column pooled_next halfvec`,
      );
      await run(manager, sql`alter table pages alter column vectors_next set storage external`);
      await run(
        manager,
        sql`insert into service_state (name, value)
            values ('next_page_space', ${JSON.stringify(this.embedder.model)}::jsonb)
            on conflict (name) do update set value = excluded.value`,
      );
    });
  }

  /** @returns the dimensions of the vectors; `dimensions` when there was none to be made. */
  private async embedAll(report: (done: number, total: number) => void, dimensions: number): Promise<number> {
    const [counts] = await run<{ total: number; done: number }>(
      this.dataSource,
      sql`select count(*)::integer as total, count(vectors_next)::integer as done from pages`,
    );
    const total = counts?.total ?? 0;
    let done = counts?.done ?? 0;
    let made = dimensions;
    for (let after = '0'; ;) {
      const batch = await this.pending(this.dataSource, after);
      const last = batch.at(-1);
      if (last === undefined) return made;
      const vectors = await this.embedded(batch);
      for (const { dims } of vectors) {
        if (made > 0 && dims !== made)
          throw new Error(`the page embedder answered with ${made} and with ${dims} dimensions`);
        made = dims;
      }
      await this.store(batch, vectors);
      after = last.page_id;
      done += batch.length;
      report(done, Math.max(total, done));
    }
  }

  private async embedded(batch: readonly Pending[]): Promise<MultiVector[]> {
    const images = [];
    for (const { object_key: key } of batch) images.push(await this.objects.getBytes(key));
    return this.embedder.embedPages(images);
  }

  private pending(database: Queryable, after: string): Promise<Pending[]> {
    return run(
      database,
      sql`select app_id, page_id, object_key from pages
          where vectors_next is null and page_id > ${after}::bigint order by page_id limit ${BATCH}`,
    );
  }

  private async store(batch: readonly Pending[], vectors: readonly MultiVector[]): Promise<void> {
    const encoded = vectors.map(encodedPage);
    await run(
      this.dataSource,
      sql`update pages p
          set vectors_next = r.vectors, vector_count_next = r.vector_count, pooled_next = r.pooled::halfvec
          from unnest(${batch.map(({ app_id }) => app_id)}::text[], ${batch.map(({ page_id }) => page_id)}::bigint[],
            ${encoded.map((page) => page.vectors)}::bytea[], ${encoded.map(({ vectorCount }) => vectorCount)}::integer[],
            ${encoded.map(({ pooled }) => toSql(Array.from(pooled)) as string)}::text[])
            as r(app_id, page_id, vectors, vector_count, pooled)
          where p.app_id = r.app_id and p.page_id = r.page_id`,
    );
  }

  /** @returns false when pages have come in meanwhile that have no new vectors yet. */
  private switch(dimensions: number): Promise<boolean> {
    const space = JSON.stringify({ model: this.embedder.model, dimensions });
    return this.dataSource.transaction(async (manager) => {
      await run(manager, sql`lock table pages in access exclusive mode`);
      if ((await this.pending(manager, '0')).length > 0) return false;
      for (const column of COLUMNS) {
        await run(manager, sql`${raw(`alter table pages drop column ${column}`)}`);
        await run(manager, sql`${raw(`alter table pages rename column ${column}_next to ${column}`)}`);
      }
      if (!isEmbedded(this.dataSource)) {
        await run(manager, sql`${raw(`alter index ${NEXT_INDEX} rename to ${POOLED_INDEX}`)}`);
      }
      await run(
        manager,
        sql`insert into service_state (name, value) values ('page_space', ${space}::jsonb)
            on conflict (name) do update set value = excluded.value`,
      );
      await run(manager, sql`delete from service_state where name = 'next_page_space'`);
      return true;
    });
  }
}
