import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import type { NewChunk } from '../chunks/chunk.js';
import { ChunkWriter, type StagedChunk } from '../chunks/chunk-writer.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { Piece } from '../splitting/piece.js';
import { ChunkEmbedder, contentHash, type PieceRun } from './chunk-embedder.js';
import type { Lease } from './lease.js';
import { contentOf, type VersionDraft } from './version-draft.js';
import { WritePace, type PaceBounds } from './write-pace.js';

/**
 * Up to this many pieces are not staged but written with the version: the staging would cost more than it saves. On the
 * embedded database a chunk takes some 15 ms, for which all requests wait.
 */
const UNSTAGED_PIECES = { embedded: 4, server: 8 } as const;

/**
 * The rows of one transaction. On the embedded database every request waits for those that came before it: it has to be
 * a short one.
 */
const PACE = {
  embedded: { first: 1, most: 64, targetMs: 100 },
  server: { first: 16, most: 16, targetMs: Infinity },
} as const satisfies Record<string, Omit<PaceBounds, 'atOnce'>>;

/** Batches in work at once. While one is written the next is embedded; an external model takes several. */
const LANES = { local: 2, external: 4 } as const;

/** Texts that the local model embeds between two reports of progress. */
const LOCAL_BATCH = 32;

/**
 * Embeds the pieces of a draft batch by batch and writes each batch at once, under the revision of its job, where no
 * reader sees it: a job that is taken up again goes on behind its finished batches, and the transaction that swaps the
 * version in is short whatever the size of the document.
 */
@Injectable()
export class ChunkStaging {
  private readonly lanes: number;
  private readonly batchSize: number;
  private readonly unstaged: number;
  private readonly pace: WritePace;

  constructor(
    private readonly dataSource: DataSource,
    private readonly writer: ChunkWriter,
    private readonly embedder: ChunkEmbedder,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const local = settings.EMBEDDING_MODEL === 'local';
    const home = settings.DATABASE_URL === undefined ? 'embedded' : 'server';
    this.unstaged = UNSTAGED_PIECES[home];
    // Writing an index entry is work for the database alone: what is written at once is taken from its questions.
    const atOnce = settings.DATABASE_URL === undefined ? 1 : settings.INGEST_CONCURRENCY;
    this.pace = new WritePace({ ...PACE[home], atOnce });
    this.lanes = local ? LANES.local : LANES.external;
    this.batchSize = local ? LOCAL_BATCH : settings.EMBEDDING_BATCH_SIZE;
  }

  /**
   * @param report called with the share that is done, 0 to 1.
   * @returns the chunks of a short draft, which are for the caller to write; null when everything is staged.
   * @throws LeaseLost; the errors of the embedding model.
   */
  async stage(
    scope: Scope,
    row: DocumentRow,
    draft: VersionDraft,
    lease: Lease,
    report: (share: number) => Promise<void>,
  ): Promise<readonly NewChunk[] | null> {
    const { pieces } = draft;
    const staged = await this.usable(scope, row, draft, lease);
    if (pieces.length <= this.unstaged && staged.size === 0) {
      return this.embedder.embed(scope, row, draft, { index: 0, pieces }, lease.signal);
    }
    const missing = batchesOf(draft, staged, this.batchSize);
    let done = staged.size;
    await report(done / pieces.length);
    await inLanes(this.lanes, missing, lease.signal, async (batch) => {
      const chunks = await this.embedder.embed(scope, row, draft, batch, lease.signal);
      await this.pace.write(chunks, (some) => this.write(row, lease, some));
      done += chunks.length;
      await report(done / pieces.length);
    });
    return null;
  }

  /** Numbers of the staged chunks that are still what the draft says; from the first other one on they are dropped. */
  private async usable(
    scope: Scope,
    row: DocumentRow,
    draft: VersionDraft,
    lease: Lease,
  ): Promise<ReadonlySet<number>> {
    const { revision } = lease.job;
    const usable = new Set<number>();
    for await (const page of this.writer.staged(scope, row.external_id, revision)) {
      for (const chunk of page) {
        if (isAsDrafted(draft, chunk)) usable.add(chunk.chunkNumber);
        else {
          await this.dropStaged(row, lease, chunk.chunkNumber);
          return usable;
        }
      }
    }
    return usable;
  }

  private dropStaged(row: DocumentRow, lease: Lease, from: number): Promise<void> {
    return this.dataSource.transaction(async (manager) => {
      await lease.advance(manager);
      await this.writer.dropStaged(manager, keyOf(row), lease.job.revision, from);
    });
  }

  /** @returns milliseconds, without those that it waited for the database to be free. */
  private write(row: DocumentRow, lease: Lease, chunks: readonly NewChunk[]): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const begun = performance.now();
      await lease.advance(manager);
      await this.writer.stage(manager, keyOf(row), lease.job.revision, chunks);
      return performance.now() - begun;
    });
  }
}

function keyOf(row: DocumentRow): { appId: string; documentId: string } {
  return { appId: row.app_id, documentId: row.external_id };
}

function isAsDrafted(draft: VersionDraft, chunk: StagedChunk): boolean {
  const piece = draft.pieces[chunk.chunkNumber - draft.firstChunk];
  return (
    piece !== undefined &&
    draft.tailOffset + piece.start === chunk.startOffset &&
    draft.tailOffset + piece.end === chunk.endOffset &&
    contentHash(contentOf(draft, piece)) === chunk.contentHash
  );
}

/** Runs of pieces that are not staged yet. */
function batchesOf(draft: VersionDraft, staged: ReadonlySet<number>, size: number): PieceRun[] {
  const batches: { index: number; pieces: Piece[] }[] = [];
  draft.pieces.forEach((piece, index) => {
    if (staged.has(draft.firstChunk + index)) return;
    const last = batches.at(-1);
    const continues =
      last !== undefined && last.index + last.pieces.length === index && last.pieces.length < size;
    if (continues) last.pieces.push(piece);
    else batches.push({ index, pieces: [piece] });
  });
  return batches;
}

/** Works batches off, `count` at once. After a failure no other batch is begun, and those in work are finished first. */
async function inLanes(
  count: number,
  batches: readonly PieceRun[],
  signal: AbortSignal,
  work: (batch: PieceRun) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const queue = batches.values();
  const lane = async (): Promise<void> => {
    for (const batch of queue) {
      if (signal.aborted || failure.signal.aborted) return;
      await work(batch).catch((error: unknown) => {
        failure.abort(error);
      });
    }
  };
  await Promise.all(Array.from({ length: count }, lane));
  signal.throwIfAborted();
  failure.signal.throwIfAborted();
}
