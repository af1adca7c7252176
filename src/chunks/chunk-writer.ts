import sql from 'sql-template-tag';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type ChunkContext, tableLines } from '#reader';
import type { Scope } from '../auth/scope.js';
import { withLongerDeadline } from '../database/deadline.js';
import { type Queryable, run } from '../database/run.js';
import type { DocumentKey } from '../corpus/document.entity.js';
import { analyseDocument } from '../lexical/analyse.js';
import { impactsOf, indexKeys } from '../lexical/inverted-index.js';
import { readContext } from './vectors/vector-column.js';
import { EmbeddingSpace } from './vectors/vector-space.js';
import type { NewChunk } from './chunk.js';
import {
  type AnalysedChunk,
  type ChunkRange,
  type ChunksOfDocuments,
  type CountChange,
  corpusStatement,
  deleteChunksStatement,
  dropChunksStatement,
  dropUnusedTermsStatement,
  insertChunksStatement,
  isMiscounted,
  moveStatisticsStatement,
  swapChunksStatement,
  termsStatement,
} from './write-statements.js';

/** A chunk that a job has staged under its revision, invisible to readers. */
export interface StagedChunk {
  readonly chunk_number: number;
  readonly start_offset: number;
  readonly end_offset: number;
  /** SHA-256 of the content in UTF-8, hexadecimal. */
  readonly content_hash: string;
  readonly context: ChunkContext;
}

export interface LiveDocument extends DocumentKey {
  readonly liveRevisions: readonly string[];
}

/** New chunks at the end of a document. */
export interface Replacement {
  readonly document: LiveDocument;
  /** Number of the first chunk to replace; all later chunks are replaced too. null: the chunks are only added. */
  readonly from: number | null;
  readonly chunks: readonly NewChunk[];
}

/** Chunks per insert statement. Small, because analysing their terms blocks the event loop. */
const INSERT_BATCH = 100;

/**
 * Milliseconds per chunk by which work on whole documents extends the deadline, about twenty times the usual time for a
 * chunk: a long document must not time out, and a short document must not wait long for an unresponsive database.
 */
export const CHUNK_MS = 20;

/** Staged chunks per query. */
const STAGED_BATCH = 500;

/**
 * Writes chunks, vectors and corpus statistics in the caller's transaction. A method that changes the statistics must
 * make the last write of the transaction, because it locks the tenant's statistics until the commit.
 */
@Injectable()
export class ChunkWriter {
  constructor(
    private readonly dataSource: DataSource,
    private readonly space: EmbeddingSpace,
  ) {}

  /** Runs work on all visible and staged chunks of documents, with a deadline that grows with the number of chunks. */
  async withTimeFor<T>(
    manager: EntityManager,
    appId: string,
    documentIds: readonly string[],
    work: () => Promise<T>,
  ): Promise<T> {
    const [stored] = await run<{ count: number }>(
      manager,
      sql`select count(*)::integer as count from chunks
          where app_id = ${appId} and document_id = any(${documentIds}::uuid[])`,
    );
    return withLongerDeadline(manager, (stored?.count ?? 0) * CHUNK_MS, work);
  }

  /** Replaces visible chunks in documents of one tenant. */
  async replace(manager: Queryable, appId: string, replacements: readonly Replacement[]): Promise<void> {
    const changes: StatisticsChanges = new Map();
    const shared = await this.sharedOf(manager, appId, replacements);
    for (const { document, from } of replacements) {
      if (from === null) continue;
      const removed = await run<{ readonly key: string | null; readonly chunk_count: number }>(
        manager,
        deleteChunksStatement(liveFrom(document, from)),
      );
      for (const { key, chunk_count: count } of removed) {
        change(changes, key === null ? null : BigInt(key), -count, shared.has(document.documentId));
      }
    }
    const added = replacements.flatMap(({ document, chunks }) =>
      chunks.map((chunk) => ({ document, chunk })),
    );
    for (let start = 0; start < added.length; start += INSERT_BATCH) {
      const chunks = added.slice(start, start + INSERT_BATCH).map(({ document, chunk }) => {
        return analysed(document, document.liveRevisions.at(-1) ?? FIRST_REVISION, chunk);
      });
      await run(manager, insertChunksStatement(appId, chunks));
      for (const { documentId, keys } of chunks) {
        for (const key of [...keys, null]) change(changes, key, 1, shared.has(documentId));
      }
    }
    if (added.length > 0) await this.space.requireOwnIn(manager);
    await writeStatistics(manager, appId, changes);
  }

  /**
   * Moves the words of documents into the shared statistics, or out of them. Every transaction that changes who may
   * read documents calls this method at its end. It does nothing for documents that stay readable by everyone, or stay
   * private.
   *
   * @param documentIds null: all documents of the tenant shard, after a change of the lists of a folder
   */
  async moveStatistics(
    manager: EntityManager,
    appId: string,
    documentIds: readonly string[] | null,
  ): Promise<void> {
    const [moving] = await run<{ documents: number; chunks: number }>(
      manager,
      sql`select count(*)::integer as documents, coalesce(sum(d.chunk_count), 0)::integer as chunks
          from documents d where ${isMiscounted(appId, documentIds)}`,
    );
    if (moving === undefined || moving.documents === 0) return;
    await withLongerDeadline(manager, moving.chunks * CHUNK_MS, async () => {
      await run(manager, moveStatisticsStatement(appId, documentIds));
    });
  }

  /** Returns the ids of the documents whose chunks are counted as chunks that everyone may read. */
  private async sharedOf(
    manager: Queryable,
    appId: string,
    replacements: readonly Replacement[],
  ): Promise<ReadonlySet<string>> {
    const ids = replacements.map(({ document }) => document.documentId);
    const rows = await run<{ id: string }>(
      manager,
      sql`select d.external_id as id from documents d
          where d.app_id = ${appId} and d.external_id = any(${ids}::uuid[]) and d.in_shared_statistics`,
    );
    return new Set(rows.map(({ id }) => id));
  }

  /** Writes chunks under an invisible revision, without counting them in the statistics. */
  async stage(
    manager: Queryable,
    document: DocumentKey,
    revision: string,
    chunks: readonly NewChunk[],
  ): Promise<void> {
    const rows = chunks.map((chunk) => analysed(document, revision, chunk));
    await run(manager, insertChunksStatement(document.appId, rows));
    await this.space.requireOwnIn(manager);
  }

  /** Iterates over the staged chunks of a revision in order, in batches. */
  async *staged(
    scope: Scope,
    documentId: string,
    revision: string,
  ): AsyncGenerator<readonly StagedChunk[], void> {
    for (let after = -1; ;) {
      const rows = await run<Omit<StagedChunk, 'context'> & { readonly context: string }>(
        this.dataSource,
        sql`select chunk_number, start_offset, end_offset, encode(content_hash, 'hex') as content_hash, context
            from chunks
            where app_id = ${scope.appId} and document_id = ${documentId}::uuid and revision = ${revision}::bigint
              and chunk_number > ${after}
            order by chunk_number
            limit ${STAGED_BATCH}`,
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map((row) => ({ ...row, context: readContext(row.context) }));
      after = last.chunk_number;
    }
  }

  /** Makes the staged `revision` visible and removes the visible chunks from number `from` on. */
  async swapIn(manager: Queryable, document: LiveDocument, from: number, revision: string): Promise<void> {
    const removed = liveFrom(document, from);
    await this.swap(manager, removed, { ...removed, revisions: [revision], from: 0 });
  }

  /** Removes the chunks staged under `revision` from number `from` on. */
  async dropStaged(
    manager: Queryable,
    { appId, documentId }: DocumentKey,
    revision: string,
    from = 0,
  ): Promise<void> {
    await run(manager, dropChunksStatement({ appId, documentId, revisions: [revision], from }));
  }

  /**
   * Removes keys from the metadata of a document's chunks. In results, the document's values for these keys then apply.
   */
  async dropMetadata(
    manager: Queryable,
    { appId, documentId }: DocumentKey,
    keys: readonly string[],
  ): Promise<void> {
    await run(
      manager,
      sql`update chunks set metadata = metadata - ${keys}::text[]
          where app_id = ${appId} and document_id = ${documentId}::uuid and metadata ?| ${keys}::text[]`,
    );
  }

  /** Removes all visible and staged chunks of documents. */
  async deleteAll(manager: EntityManager, appId: string, documentIds: readonly string[]): Promise<void> {
    await this.withTimeFor(manager, appId, documentIds, async () => {
      await run(manager, dropChunksStatement({ appId, documentIds, isVisible: false }));
      await this.swap(manager, { appId, documentIds, isVisible: true }, null);
    });
  }

  /**
   * Removes chunks, and updates the statistics for the removed chunks and for the staged chunks that become visible.
   */
  private async swap(
    manager: Queryable,
    removed: ChunkRange | ChunksOfDocuments,
    added: ChunkRange | null,
  ): Promise<void> {
    const rows = await run<{ key: string }>(manager, swapChunksStatement(removed, added));
    const unused = rows.map(({ key }) => key);
    if (unused.length > 0) await run(manager, dropUnusedTermsStatement(removed.appId, unused));
  }
}

/** Revision of chunks that were written without a job. */
const FIRST_REVISION = '0';

function liveFrom({ appId, documentId, liveRevisions }: LiveDocument, from: number): ChunkRange {
  return { appId, documentId, revisions: liveRevisions, from };
}

/**
 * Computes the indexed terms of a chunk, in about 0.2 ms. A piece of a table is also indexed by the table's caption and
 * header, because questions about a cell name its column.
 */
function analysed({ appId, documentId }: DocumentKey, revision: string, chunk: NewChunk): AnalysedChunk {
  const { table } = chunk.context;
  const text = [...(table === null ? [] : tableLines(table)), chunk.content].join('\n');
  const impacts = impactsOf(analyseDocument(text));
  return { ...chunk, documentId, revision, impacts, keys: indexKeys(appId, impacts) };
}

/**
 * Changes of the corpus statistics. An index key maps to the change of the number of chunks with this key; null maps to
 * the change of the number of chunks. Removals and additions cancel each other out.
 */
type StatisticsChanges = Map<bigint | null, CountChange>;

function change(changes: StatisticsChanges, key: bigint | null, count: number, isShared: boolean): void {
  const { all, shared } = changes.get(key) ?? NO_CHANGE;
  changes.set(key, { all: all + count, shared: shared + (isShared ? count : 0) });
}

const NO_CHANGE: CountChange = { all: 0, shared: 0 };

async function writeStatistics(manager: Queryable, appId: string, changes: StatisticsChanges): Promise<void> {
  const terms = [...changes].flatMap(([key, count]) =>
    key === null || (count.all === 0 && count.shared === 0) ? [] : [{ key: String(key), count }],
  );
  await run(manager, corpusStatement(appId, changes.get(null) ?? NO_CHANGE));
  if (terms.length === 0) return;
  const [keys, counts] = [terms.map(({ key }) => key), terms.map(({ count }) => count)];
  await run(manager, termsStatement(appId, keys, counts));
  const fewer = terms.filter(({ count }) => count.all < 0).map(({ key }) => key);
  if (fewer.length > 0) await run(manager, dropUnusedTermsStatement(appId, fewer));
}
