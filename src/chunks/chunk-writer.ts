import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import sql from 'sql-template-tag';
import type { Scope } from '../auth/scope.js';
import { withLongerDeadline } from '../database/deadline.js';
import { run, type Queryable } from '../database/run.js';
import type { DocumentKey } from '../corpus/document.entity.js';
import { analyseDocument } from '../lexical/analyse.js';
import { type ChunkContext, tableLines } from '../lexical/chunk-context.js';
import { impactsOf } from '../lexical/impacts.js';
import { readContext } from './column-text.js';
import type { NewChunk } from './chunk.js';
import { indexKeys } from './inverted-index.js';
import { StatisticsChange, type CountRow } from './statistics-change.js';
import {
  deleteChunksStatement,
  dropChunksStatement,
  dropUnusedTermsStatement,
  insertChunksStatement,
  swapChunksStatement,
  type AnalysedChunk,
  type ChunkRange,
  type ChunksOfDocuments,
} from './write-statements.js';

/** A chunk that a job has written under its own revision and nobody sees yet. */
export interface StagedChunk {
  readonly chunk_number: number;
  readonly start_offset: number;
  readonly end_offset: number;
  /** SHA-256 of the content in UTF-8, hexadecimal. */
  readonly content_hash: string;
  readonly context: ChunkContext;
}

/** The document whose chunks are written, and the revisions that its readers see. */
export interface LiveDocument extends DocumentKey {
  readonly liveRevisions: readonly string[];
}

/** Chunks that take the place of a document's. */
export interface Replacement {
  readonly document: LiveDocument;
  /** The chunks from this number on go; null: there are none. */
  readonly from: number | null;
  readonly chunks: readonly NewChunk[];
}

type PlacedChunk = Omit<AnalysedChunk, 'keys' | 'impacts'>;

/** Chunks written by one statement; their terms are counted in one go on the event loop. */
const INSERT_BATCH = 100;

/** What one chunk adds to the deadline of work on a whole document: some twenty times what it takes. */
const CHUNK_MS = 20;

/** Staged chunks that are looked at in one go. */
const STAGED_PAGE = 500;

/**
 * Everything that changes chunks, vectors and the corpus statistics. All of it runs in the caller's
 * transaction; what changes the statistics has to be the transaction's last write, since it locks the tenant's corpus.
 */
@Injectable()
export class ChunkWriter {
  constructor(private readonly dataSource: DataSource) {}

  /** Runs the part of a transaction that works on all chunks of documents, seen or staged, in the time that they take. */
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

  /** Replaces chunks that readers see, of documents of one tenant. */
  async replace(manager: Queryable, appId: string, replacements: readonly Replacement[]): Promise<void> {
    const change = new StatisticsChange();
    for (const { document, from } of replacements) {
      if (from === null) continue;
      change.remove(await run<CountRow>(manager, deleteChunksStatement(liveFrom(document, from))));
    }
    const chunks = replacements.flatMap(({ document: { documentId, liveRevisions }, chunks: ofDocument }) => {
      const revision = liveRevisions.at(-1) ?? FIRST_REVISION;
      return ofDocument.map((chunk) => ({ ...chunk, documentId, revision }));
    });
    for (let start = 0; start < chunks.length; start += INSERT_BATCH) {
      change.add(await this.insert(manager, appId, chunks.slice(start, start + INSERT_BATCH)));
    }
    await change.write(manager, appId);
  }

  /** Writes chunks under a revision that nobody sees yet; the statistics stay as they are. */
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

  /** What is staged under a revision, in order, a page at a time. */
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
            limit ${STAGED_PAGE}`,
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows.map((row) => ({ ...row, context: readContext(row.context) }));
      after = last.chunk_number;
    }
  }

  /** Makes the staged `revision` seen, in place of everything that was seen from number `from` on. */
  async swapIn(manager: Queryable, document: LiveDocument, from: number, revision: string): Promise<void> {
    const gone = liveFrom(document, from);
    await this.swap(manager, gone, { ...gone, revisions: [revision], from: 0 });
  }

  /** Removes what is staged under `revision` from number `from` on. */
  async dropStaged(
    manager: Queryable,
    { appId, documentId }: DocumentKey,
    revision: string,
    from = 0,
  ): Promise<void> {
    await run(manager, dropChunksStatement({ appId, documentId, revisions: [revision], from }));
  }

  /** Removes keys from the metadata of the document's chunks, so that the document's own values show. */
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

  /** Removes every chunk of the documents, seen or staged, in the time that so many take. */
  async deleteAll(manager: EntityManager, appId: string, documentIds: readonly string[]): Promise<void> {
    await this.withTimeFor(manager, appId, documentIds, async () => {
      await run(manager, dropChunksStatement({ appId, documentIds, seen: false }));
      await this.swap(manager, { appId, documentIds, seen: true }, null);
    });
  }

  /** Removes seen chunks, and counts staged ones in. */
  private async swap(
    manager: Queryable,
    gone: ChunkRange | ChunksOfDocuments,
    added: ChunkRange | null,
  ): Promise<void> {
    const unused = await run<{ key: string }>(manager, swapChunksStatement(gone, added));
    if (unused.length === 0) return;
    await run(
      manager,
      dropUnusedTermsStatement(
        gone.appId,
        unused.map(({ key }) => key),
      ),
    );
  }

  /** @returns what the statistics gain */
  private async insert(
    manager: Queryable,
    appId: string,
    chunks: readonly PlacedChunk[],
  ): Promise<readonly CountRow[]> {
    const rows = chunks.map((chunk) => analysed(appId, chunk));
    await run(manager, insertChunksStatement(appId, rows));
    return countsOf(rows);
  }
}

/**
 * Runs the part of a transaction that works on so many chunks. Its deadline grows with them: a long document must not fail
 * by it, and a short one need not wait long for a database that is silent.
 */
export function withTimeForChunks<T>(
  manager: EntityManager,
  count: number,
  work: () => Promise<T>,
): Promise<T> {
  return withLongerDeadline(manager, count * CHUNK_MS, work);
}

/** Of the chunks of a document that no job has written. */
const FIRST_REVISION = '0';

function liveFrom({ appId, documentId, liveRevisions }: LiveDocument, from: number): ChunkRange {
  return { appId, documentId, revisions: liveRevisions, from };
}

/**
 * Some fifth of a millisecond on the event loop. A chunk is found by its own words and, where it is a piece of a table, by
 * the caption and header above it: a question for a cell names the column.
 */
function analysed(appId: string, chunk: PlacedChunk): AnalysedChunk {
  const { table } = chunk.context;
  const text = [...(table === null ? [] : tableLines(table)), chunk.content].join('\n');
  const impacts = impactsOf(analyseDocument(text));
  return { ...chunk, impacts, keys: indexKeys(appId, impacts) };
}

function countsOf(chunks: readonly AnalysedChunk[]): CountRow[] {
  const holding = new Map<bigint, number>();
  for (const { keys } of chunks) for (const key of keys) holding.set(key, (holding.get(key) ?? 0) + 1);
  return [
    ...Array.from(holding, ([key, count]) => ({ key: String(key), chunk_count: count })),
    { key: null, chunk_count: chunks.length },
  ];
}
