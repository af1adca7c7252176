import sql, { empty, raw, type Sql } from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { type ChunkContext, embeddedText, NO_CONTEXT } from '#reader';
import { isDistributed } from '../src/database/cluster/cluster.js';
import { run, type Queryable } from '../src/database/run.js';
import type { Embedder } from '../src/models/embedding/embedder.js';
import type { PageEmbedder } from '../src/models/multivector/page-embedder.js';
import type { ObjectStore } from '../src/storage/object-store.js';
import { readContext, storedContext, vectorText } from '../src/chunks/vectors/vector-column.js';
import { encodedPage } from '../src/pages/page-vectors.js';
import { CHUNKS, PAGES, type Space, type VectorTable } from '../src/chunks/vectors/vector-space.js';

/** Receives the number of processed rows and the number of all rows after each batch. */
export type Report = (done: number, total: number) => void;

/** A column to rebuild. The new values are written to NAME_next, which then replaces NAME. */
interface NextColumn {
  readonly name: string;
  readonly type: string;
  readonly storage?: 'main' | 'external';
  /** ALTER COLUMN actions that run after the replacement. */
  readonly then?: readonly string[];
}

interface Rebuilding {
  readonly model: string;
  /**
   * Identity of the model and the contexts. A run resumes an interrupted run only if both runs have the same identity.
   */
  readonly maker: unknown;
  readonly columns: readonly NextColumn[];
  /** Additional statement in the transaction of the replacement. */
  readonly afterwards?: Sql;
}

/**
 * Rebuilds all vectors of a table for another model. The new vectors are written to separate columns with their own
 * index, while searches use the current vectors. One short transaction then replaces the columns. An interrupted run
 * can be resumed. An operator starts it as a command for all tenants.
 */
abstract class Reindexer<Row> {
  private readonly nextIndex: string;
  private readonly nextState: string;

  constructor(
    protected readonly dataSource: DataSource,
    private readonly table: VectorTable,
    private readonly rebuilding: Rebuilding,
  ) {
    this.nextIndex = `${table.name}_${table.column}_next`;
    this.nextState = `next_${table.space}`;
  }

  /** @throws the errors of the embedder and the object store; finished batches are kept. */
  async reindex(report: Report): Promise<void> {
    await this.prepare();
    do await this.embedAll(report);
    while (!(await this.replaceColumns(await this.createIndex())));
  }

  /** Returns the next rows that have no new vector yet, in key order. */
  protected abstract pending(database: Queryable, after?: Row): Promise<Row[]>;

  /** Embeds rows and stores their new vectors. */
  protected abstract embed(batch: readonly Row[]): Promise<void>;

  /** Dimensions of the new vectors; undefined if no vector exists yet. */
  protected async dimensions(): Promise<number | undefined> {
    const { name, column } = this.table;
    const [row] = await run<{ dimensions: number }>(
      this.dataSource,
      raw(
        `select vector_dims(${column}_next) as dimensions from ${name} where ${column}_next is not null limit 1`,
      ),
    );
    return row?.dimensions;
  }

  private async prepare(): Promise<void> {
    const { maker, columns } = this.rebuilding;
    await this.dataSource.transaction(async (manager) => {
      const [same] = await run(
        manager,
        sql`select from service_state where name = ${this.nextState} and value = ${JSON.stringify(maker)}::jsonb`,
      );
      if (same !== undefined) return;
      await run(manager, raw(`drop index if exists ${this.nextIndex}`));
      for (const { name, type } of columns) {
        // Drops the column and adds it again. An update would leave dead rows, and the new index would include these
        // rows for as long as older snapshots can see them.
        await this.alter(manager, `drop column if exists ${name}_next`);
        await this.alter(manager, `add column ${name}_next ${type}`);
      }
      await run(manager, storeState(this.nextState, maker));
    });
    for (const { name, storage } of columns) {
      if (storage !== undefined) await this.setStorage(`${name}_next`, storage);
    }
  }

  private async embedAll(report: Report): Promise<void> {
    const { name, column } = this.table;
    const [counts] = await run<{ total: number; done: number }>(
      this.dataSource,
      raw(`select count(*)::integer as total, count(${column}_next)::integer as done from ${name}`),
    );
    let { total, done } = counts ?? { total: 0, done: 0 };
    let batch = await this.pending(this.dataSource);
    while (batch.length > 0) {
      await this.embed(batch);
      done += batch.length;
      total = Math.max(total, done);
      report(done, total);
      batch = await this.pending(this.dataSource, batch.at(-1));
    }
  }

  /** Creates the index of the new vectors. @returns the space of the new vectors; null if there are no vectors. */
  private async createIndex(): Promise<Space | null> {
    const dimensions = await this.dimensions();
    if (dimensions === undefined) return null;
    const index = this.table.index(this.dataSource, dimensions);
    if (index !== null)
      await run(this.dataSource, index.creation(this.nextIndex, `${this.table.column}_next`));
    return { model: this.rebuilding.model, dimensions };
  }

  /** Replaces the columns. @returns false if rows without new vectors were added meanwhile. */
  private replaceColumns(space: Space | null): Promise<boolean> {
    const { columns, afterwards } = this.rebuilding;
    return this.dataSource.transaction(async (manager) => {
      await run(manager, raw(`lock table ${this.table.name} in access exclusive mode`));
      if ((await this.pending(manager)).length > 0) return false;
      for (const { name, then = [] } of columns) {
        await this.alter(manager, `drop column ${name}`);
        await this.alter(manager, `rename column ${name}_next to ${name}`);
        for (const change of then) await this.alter(manager, `alter column ${name} ${change}`);
      }
      if (space !== null) {
        const index = this.table.index(this.dataSource, space.dimensions);
        if (index !== null) await run(manager, raw(`alter index ${this.nextIndex} rename to ${index.name}`));
        await run(manager, storeState(this.table.space, space));
      }
      if (afterwards !== undefined) await run(manager, afterwards);
      await run(manager, sql`delete from service_state where name = ${this.nextState}`);
      return true;
    });
  }

  /**
   * Sets the storage mode of a column. Citus supports this only for each shard separately, and not in the transaction
   * that adds the column.
   */
  private async setStorage(column: string, storage: string): Promise<void> {
    const change = `alter column ${column} set storage ${storage}`;
    if (!(await isDistributed(this.dataSource))) return this.alter(this.dataSource, change);
    await run(
      this.dataSource,
      sql`select run_command_on_placements(${this.table.name}::regclass, ${`alter table %s ${change}`})`,
    );
  }

  private async alter(manager: Queryable, change: string): Promise<void> {
    await run(manager, raw(`alter table ${this.table.name} ${change}`));
  }
}

function storeState(name: string, value: unknown): Sql {
  return sql`insert into service_state (name, value) values (${name}, ${JSON.stringify(value)}::jsonb)
             on conflict (name) do update set value = excluded.value`;
}

/** Primary key of a chunk, in column order. */
interface ChunkKey {
  readonly document_id: string;
  readonly app_id: string;
  readonly chunk_number: number;
  readonly revision: string;
}

/** A chunk to embed again, with the inputs of its context. */
export interface ReindexedChunk {
  readonly content: string;
  /** Context of the current vector; empty with CHUNK_CONTEXT=none. */
  readonly context: ChunkContext;
  readonly filename: string | null;
  /** Title from the properties of the document's file. It may be any JSON value. */
  readonly own_title: unknown;
  readonly has_pages: boolean;
  /** Content of the first chunk of its document. */
  readonly head: string;
  readonly head_type: string;
}

export interface Contexts {
  /** Identifies the algorithm. */
  readonly name: string;
  contextOf(chunk: ReindexedChunk): ChunkContext;
}

type PendingChunk = ChunkKey & ReindexedChunk;

const CHUNK_BATCH = 64;

export class ChunkReindexer extends Reindexer<PendingChunk> {
  constructor(
    dataSource: DataSource,
    private readonly embedder: Embedder,
    private readonly contexts: Contexts,
  ) {
    const { model, dimensions } = embedder;
    super(dataSource, CHUNKS, {
      model,
      maker: { model, dimensions, context: contexts.name },
      columns: [
        { name: 'embedding', type: 'halfvec', storage: 'main', then: ['set not null'] },
        { name: 'context', type: 'text', then: [`set default ''`, 'set not null'] },
      ],
      afterwards: sql`update documents set embedding_model = ${model} where embedding_model is not null`,
    });
  }

  protected async pending(database: Queryable, after?: ChunkKey): Promise<PendingChunk[]> {
    const afterKey =
      after === undefined
        ? empty
        : sql` and (c.document_id, c.app_id, c.chunk_number, c.revision) >
            (${after.document_id}::uuid, ${after.app_id}, ${after.chunk_number}, ${after.revision}::bigint)`;
    const rows = await run<ChunkKey & Omit<ReindexedChunk, 'context'> & { readonly context: string }>(
      database,
      sql`select c.document_id, c.app_id, c.chunk_number, c.revision, c.content, c.context, d.filename, d.page_count is not null as has_pages,
            d.additional_metadata -> 'title' as own_title, coalesce(first.content, c.content) as head,
            coalesce(first.content_type, c.content_type) as head_type
          from chunks c
          join documents d on d.app_id = c.app_id and d.external_id = c.document_id
          left join chunks first on first.app_id = c.app_id and first.document_id = c.document_id
            and first.chunk_number = 0 and first.revision = any(d.live_revisions)
          where c.embedding_next is null${afterKey}
          order by c.document_id, c.app_id, c.chunk_number, c.revision limit ${CHUNK_BATCH}`,
    );
    return rows.map((row) => ({ ...row, context: readContext(row.context) }));
  }

  protected async embed(batch: readonly PendingChunk[]): Promise<void> {
    const contexts = batch.map((chunk) => this.contexts.contextOf(chunk));
    const texts = batch.map(({ content }, index) => embeddedText(contexts[index] ?? NO_CONTEXT, content));
    const vectors = await this.embedder.embedDocuments(texts);
    await run(
      this.dataSource,
      sql`update chunks c set embedding_next = r.vector::halfvec, context_next = r.context
          from unnest(${batch.map((chunk) => chunk.document_id)}::uuid[], ${batch.map((chunk) => chunk.app_id)}::text[],
            ${batch.map((chunk) => chunk.chunk_number)}::integer[], ${batch.map((chunk) => chunk.revision)}::bigint[],
            ${contexts.map(storedContext)}::text[], ${vectors.map(vectorText)}::text[])
            as r(document_id, app_id, chunk_number, revision, context, vector)
          where c.document_id = r.document_id and c.app_id = r.app_id and c.chunk_number = r.chunk_number
            and c.revision = r.revision`,
    );
  }
}

interface PendingPage {
  readonly app_id: string;
  readonly page_id: string;
  readonly object_key: string;
}

/** Pages per batch. All images of a batch are in memory. */
const PAGE_BATCH = 8;

export class PageReindexer extends Reindexer<PendingPage> {
  /** Dimensions of the first new vector. All new vectors must have the same number. */
  private length: number | undefined;

  constructor(
    dataSource: DataSource,
    private readonly embedder: PageEmbedder,
    private readonly objects: ObjectStore,
  ) {
    const { model } = embedder;
    super(dataSource, PAGES, {
      model,
      maker: model,
      columns: [
        { name: 'vectors', type: 'bytea', storage: 'external' },
        { name: 'vector_count', type: 'integer' },
        { name: 'pooled', type: 'halfvec' },
      ],
    });
  }

  protected pending(database: Queryable, after?: PendingPage): Promise<PendingPage[]> {
    return run(
      database,
      sql`select app_id, page_id, object_key from pages
          where vectors_next is null and page_id > ${after?.page_id ?? '0'}::bigint order by page_id limit ${PAGE_BATCH}`,
    );
  }

  protected async embed(batch: readonly PendingPage[]): Promise<void> {
    const images = [];
    for (const { object_key: key } of batch) images.push(await this.objects.getBytes(key));
    const vectors = await this.embedder.embedPages(images);
    this.length ??= (await this.dimensions()) ?? vectors[0]?.dims;
    const other = vectors.find(({ dims }) => dims !== this.length);
    if (other !== undefined) {
      throw new Error(`the page embedder returned vectors of ${this.length} and of ${other.dims} dimensions`);
    }
    const encoded = vectors.map(encodedPage);
    await run(
      this.dataSource,
      sql`update pages p
          set vectors_next = r.vectors, vector_count_next = r.vector_count, pooled_next = r.pooled::halfvec
          from unnest(${batch.map((page) => page.app_id)}::text[], ${batch.map((page) => page.page_id)}::bigint[],
            ${encoded.map((page) => page.vectors)}::bytea[], ${encoded.map(({ vectorCount }) => vectorCount)}::integer[],
            ${encoded.map(({ pooled }) => vectorText(pooled))}::text[])
            as r(app_id, page_id, vectors, vector_count, pooled)
          where p.app_id = r.app_id and p.page_id = r.page_id`,
    );
  }
}
