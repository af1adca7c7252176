import sql from 'sql-template-tag';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { withLongerDeadline } from '../database/deadline.js';
import { type Queryable, run } from '../database/run.js';
import type { DocumentKey } from '../corpus/document.entity.js';
import { analyseDocument } from '../lexical/analyse.js';
import { type ChunkContext, tableLines } from '../lexical/chunk-context.js';
import { impactsOf } from '../lexical/impacts.js';
import { readContext } from '../vectors/column-text.js';
import type { NewChunk } from './chunk.js';
import { indexKeys } from './bm25.js';
import {
  type AnalysedChunk,
  type ChunkRange,
  type ChunksOfDocuments,
  corpusStatement,
  deleteChunksStatement,
  dropChunksStatement,
  dropUnusedTermsStatement,
  insertChunksStatement,
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

/** A document and its visible revisions. */
export interface LiveDocument extends DocumentKey {
  readonly liveRevisions: readonly string[];
}

/** New chunks of a document. */
export interface Replacement {
  readonly document: LiveDocument;
  /** Number of the first replaced chunk; null: replaces none. */
  readonly from: number | null;
  readonly chunks: readonly NewChunk[];
}

type UnanalysedChunk = Omit<AnalysedChunk, 'keys' | 'impacts'>;

/** Chunks per insert statement. Their term analysis blocks the event loop. */
const INSERT_BATCH = 100;

/** Deadline per chunk for work on whole documents in milliseconds: about twenty times the usual duration. */
const CHUNK_MS = 20;

/** Staged chunks per query. */
const STAGED_BATCH = 500;

/**
 * Writes chunks, vectors and corpus statistics in the caller's transaction. A change of the statistics must be the last
 * write of the transaction, because it locks the tenant's statistics.
 */
@Injectable()
export class ChunkWriter {
  constructor(private readonly dataSource: DataSource) {}

  /** Runs work on all visible and staged chunks of documents, with a deadline that grows with their number. */
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
    return withTimeForChunks(manager, stored?.count ?? 0, work);
  }

  /** Replaces visible chunks in documents of one tenant. */
  async replace(manager: Queryable, appId: string, replacements: readonly Replacement[]): Promise<void> {
    const changes: StatisticsChanges = new Map();
    for (const { document, from } of replacements) {
      if (from === null) continue;
      const removed = await run<RemovedRow>(manager, deleteChunksStatement(liveFrom(document, from)));
      for (const { key, chunk_count: count } of removed) {
        change(changes, key === null ? null : BigInt(key), -count);
      }
    }
    const chunks = replacements.flatMap(({ document: { documentId, liveRevisions }, chunks: ofDocument }) => {
      const revision = liveRevisions.at(-1) ?? FIRST_REVISION;
      return ofDocument.map((chunk) => ({ ...chunk, documentId, revision }));
    });
    for (let start = 0; start < chunks.length; start += INSERT_BATCH) {
      for (const { keys } of await this.insert(manager, appId, chunks.slice(start, start + INSERT_BATCH))) {
        for (const key of [...keys, null]) change(changes, key, 1);
      }
    }
    await writeStatistics(manager, appId, changes);
  }

  /** Writes chunks under an invisible revision, without counting them in the statistics. */
  async stage(
    manager: Queryable,
    document: DocumentKey,
    revision: string,
    chunks: readonly NewChunk[],
  ): Promise<void> {
    const { appId, documentId } = document;
    await this.insert(
      manager,
      appId,
      chunks.map((chunk) => ({ ...chunk, documentId, revision })),
    );
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

  /** Removes keys from the metadata of the document's chunks, so that the document's values apply. */
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

  /** Removes visible chunks and adds staged ones to the statistics. */
  private async swap(
    manager: Queryable,
    removed: ChunkRange | ChunksOfDocuments,
    added: ChunkRange | null,
  ): Promise<void> {
    const unused = await run<{ key: string }>(manager, swapChunksStatement(removed, added));
    if (unused.length === 0) return;
    await run(
      manager,
      dropUnusedTermsStatement(
        removed.appId,
        unused.map(({ key }) => key),
      ),
    );
  }

  private async insert(
    manager: Queryable,
    appId: string,
    chunks: readonly UnanalysedChunk[],
  ): Promise<readonly AnalysedChunk[]> {
    const rows = chunks.map((chunk) => analysed(appId, chunk));
    await run(manager, insertChunksStatement(appId, rows));
    return rows;
  }
}

/**
 * Runs work on `count` chunks with a deadline that grows with their number: a long document must not time out, and a
 * short one must not wait long for an unresponsive database.
 */
export function withTimeForChunks<T>(
  manager: EntityManager,
  count: number,
  work: () => Promise<T>,
): Promise<T> {
  return withLongerDeadline(manager, count * CHUNK_MS, work);
}

/** Revision of chunks that no job has written. */
const FIRST_REVISION = '0';

function liveFrom({ appId, documentId, liveRevisions }: LiveDocument, from: number): ChunkRange {
  return { appId, documentId, revisions: liveRevisions, from };
}

/**
 * Computes the indexed terms of a chunk, in about 0.2 ms. A piece of a table is also indexed by the table's caption and
 * header, because questions about a cell name its column.
 */
function analysed(appId: string, chunk: UnanalysedChunk): AnalysedChunk {
  const { table } = chunk.context;
  const text = [...(table === null ? [] : tableLines(table)), chunk.content].join('\n');
  const impacts = impactsOf(analyseDocument(text));
  return { ...chunk, impacts, keys: indexKeys(appId, impacts) };
}

/** A row of removed chunks. */
interface RemovedRow {
  /** Key of the inverted index; null in the row that counts the chunks. */
  readonly key: string | null;
  readonly chunk_count: number;
}

/**
 * Changes of the corpus statistics, in which removals and additions cancel out: document frequency by key of the inverted
 * index, and the number of chunks at null.
 */
type StatisticsChanges = Map<bigint | null, number>;

function change(changes: StatisticsChanges, key: bigint | null, count: number): void {
  changes.set(key, (changes.get(key) ?? 0) + count);
}

async function writeStatistics(manager: Queryable, appId: string, changes: StatisticsChanges): Promise<void> {
  const terms = [...changes].flatMap(([key, count]) =>
    key === null || count === 0 ? [] : [{ key: String(key), count }],
  );
  await run(manager, corpusStatement(appId, changes.get(null) ?? 0));
  if (terms.length === 0) return;
  const [keys, counts] = [terms.map(({ key }) => key), terms.map(({ count }) => count)];
  await run(manager, termsStatement(appId, keys, counts));
  const fewer = terms.filter(({ count }) => count < 0).map(({ key }) => key);
  if (fewer.length > 0) await run(manager, dropUnusedTermsStatement(appId, fewer));
}
