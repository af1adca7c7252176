import type { DataSource } from 'typeorm';
import sql, { raw } from 'sql-template-tag';
import { run, type Queryable } from '../database/run.js';
import type { Embedder } from '../embedding/embedder.js';
import { type ChunkContext, embeddedText, NO_CONTEXT } from '../lexical/chunk-context.js';
import { readContext, storedContext } from './stored-context.js';
import { storeSpaceStatement } from './embedding-space.js';
import { vectorText } from './column-text.js';
import { VectorIndex } from './vector-index.js';

const BATCH = 64;

/** Where the next vectors grow beside the present ones. */
const NEXT_INDEX = 'chunks_embedding_next';
const NEXT_COLUMN = 'embedding_next';

/** What tells a chunk from others, in the order of the primary key. */
interface ChunkKey {
  readonly document_id: string;
  readonly app_id: string;
  readonly chunk_number: number;
  readonly revision: string;
}

type Pending = ChunkKey & ReindexedChunk;

const BEFORE_ALL: ChunkKey = {
  document_id: '00000000-0000-0000-0000-000000000000',
  app_id: '',
  chunk_number: -1,
  revision: '0',
};

/** What is known of a chunk that is embedded again. */
export interface ReindexedChunk {
  readonly content: string;
  /** What its present vector was made with; none also where it was made before there were contexts. */
  readonly context: ChunkContext;
  readonly filename: string | null;
  /** What the format of its document says; anything that JSON can say. */
  readonly own_title: unknown;
  readonly has_pages: boolean;
  /** Content of the first chunk of its document. */
  readonly head: string;
  /** Type of the text of that chunk. */
  readonly head_type: string;
}

/** What chunks are embedded with. */
export interface Contexts {
  /** Tells one way of making contexts from another. */
  readonly name: string;
  contextOf(chunk: ReindexedChunk): ChunkContext;
}

/**
 * Rebuilds all vectors in another embedding space: they grow in a column of their own while the present ones answer,
 * get their own index, and take the place of the present ones in one short transaction. Stopped half way, it goes on
 * where it was. Works over all tenants, as the operator's command that it is.
 */
export class Reindexer {
  constructor(
    private readonly dataSource: DataSource,
    private readonly embedder: Embedder,
    private readonly contexts: Contexts,
  ) {}

  /**
   * @param report called after every batch with the chunks that are done and the chunks in all.
   * @throws ProviderFailed when the embedding model fails; what is done stays done.
   */
  async reindex(report: (done: number, total: number) => void): Promise<void> {
    await run(
      this.dataSource,
      sql`alter table chunks add column if not exists embedding_next halfvec, add column if not exists context_next text`,
    );
    await this.dropOtherSpace();
    await this.embedAll(report);
    await run(this.dataSource, this.index.creation(NEXT_INDEX, NEXT_COLUMN));
    while (!(await this.switch())) await this.embedAll(report);
  }

  /** Of the new space. */
  private get index(): VectorIndex {
    return VectorIndex.of(this.dataSource, this.embedder.dimensions);
  }

  /** An earlier run may have been for another model, or other contexts: its vectors are of no use. */
  private async dropOtherSpace(): Promise<void> {
    const { model, dimensions } = this.embedder;
    const wanted = JSON.stringify({ model, dimensions, context: this.contexts.name });
    const [same] = await run(
      this.dataSource,
      sql`select from service_state where name = 'next_embedding_space' and value = ${wanted}::jsonb`,
    );
    if (same !== undefined) return;
    await this.dataSource.transaction(async (manager) => {
      await run(manager, sql`${raw(`drop index if exists ${NEXT_INDEX}`)}`);
      // Not emptied by an update: an index is built over dead rows too while somebody may see them.
      await run(manager, sql`alter table chunks drop column embedding_next, drop column context_next`);
      await run(
        manager,
        sql`alter table chunks add column embedding_next halfvec, add column context_next text`,
      );
      await run(
        manager,
        sql`insert into service_state (name, value) values ('next_embedding_space', ${wanted}::jsonb)
            on conflict (name) do update set value = excluded.value`,
      );
    });
  }

  private async embedAll(report: (done: number, total: number) => void): Promise<void> {
    const [counts] = await run<{ total: number; missing: number }>(
      this.dataSource,
      sql`select count(*)::integer as total, (count(*) - count(embedding_next))::integer as missing from chunks`,
    );
    const total = counts?.total ?? 0;
    let done = total - (counts?.missing ?? 0);
    for (let after = BEFORE_ALL; ;) {
      const batch = await this.pending(this.dataSource, after);
      const last = batch.at(-1);
      if (last === undefined) return;
      const contexts = batch.map((chunk) => this.contexts.contextOf(chunk));
      const texts = batch.map(({ content }, index) => embeddedText(contexts[index] ?? NO_CONTEXT, content));
      await this.store(batch, contexts, await this.embedder.embedDocuments(texts));
      after = last;
      done += batch.length;
      report(done, Math.max(total, done));
    }
  }

  private async pending(database: Queryable, after: ChunkKey): Promise<Pending[]> {
    const rows = await run<Omit<Pending, 'context'> & { readonly context: string }>(
      database,
      sql`select c.document_id, c.app_id, c.chunk_number, c.revision, c.content, c.context, d.filename, d.page_count is not null as has_pages,
            d.additional_metadata -> 'title' as own_title, coalesce(first.content, c.content) as head,
            coalesce(first.content_type, c.content_type) as head_type
          from chunks c
          join documents d on d.app_id = c.app_id and d.external_id = c.document_id
          left join chunks first on first.app_id = c.app_id and first.document_id = c.document_id
            and first.chunk_number = 0 and first.revision = any(d.live_revisions)
          where c.embedding_next is null and (c.document_id, c.app_id, c.chunk_number, c.revision) >
            (${after.document_id}::uuid, ${after.app_id}, ${after.chunk_number}, ${after.revision}::bigint)
          order by c.document_id, c.app_id, c.chunk_number, c.revision limit ${BATCH}`,
    );
    return rows.map((row) => ({ ...row, context: readContext(row.context) }));
  }

  private async store(
    batch: readonly Pending[],
    contexts: readonly ChunkContext[],
    vectors: readonly Float32Array[],
  ): Promise<void> {
    await run(
      this.dataSource,
      sql`update chunks c set embedding_next = r.vector::halfvec, context_next = r.context
          from unnest(${batch.map(({ document_id: id }) => id)}::uuid[], ${batch.map(({ app_id: tenant }) => tenant)}::text[],
            ${batch.map(({ chunk_number: number }) => number)}::integer[], ${batch.map(({ revision }) => revision)}::bigint[],
            ${contexts.map(storedContext)}::text[], ${vectors.map(vectorText)}::text[])
            as r(document_id, app_id, chunk_number, revision, context, vector)
          where c.document_id = r.document_id and c.app_id = r.app_id and c.chunk_number = r.chunk_number
            and c.revision = r.revision`,
    );
  }

  /** @returns false when chunks have come in meanwhile that have no new vector yet. */
  private switch(): Promise<boolean> {
    const { model, dimensions } = this.embedder;
    return this.dataSource.transaction(async (manager) => {
      await run(manager, sql`lock table chunks in access exclusive mode`);
      if ((await this.pending(manager, BEFORE_ALL)).length > 0) return false;
      await run(manager, sql`alter table chunks drop column embedding`);
      await run(manager, sql`alter table chunks rename column embedding_next to embedding`);
      await run(manager, sql`alter table chunks alter column embedding set not null`);
      await run(manager, sql`alter table chunks alter column embedding set storage main`);
      await run(manager, sql`alter table chunks drop column context`);
      await run(manager, sql`alter table chunks rename column context_next to context`);
      await run(
        manager,
        sql`alter table chunks alter column context set default '', alter column context set not null`,
      );
      await run(manager, sql`${raw(`alter index ${NEXT_INDEX} rename to ${this.index.name}`)}`);
      await run(manager, storeSpaceStatement({ model, dimensions }));
      await run(
        manager,
        sql`update documents set embedding_model = ${model} where embedding_model is not null`,
      );
      await run(manager, sql`delete from service_state where name = 'next_embedding_space'`);
      return true;
    });
  }
}
