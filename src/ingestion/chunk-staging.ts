import pLimit, { type LimitFunction } from 'p-limit';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { NO_CONTEXT, type Piece, printContext } from '#reader';
import type { NewChunk } from '../chunks/chunk.js';
import { ChunkWriter, type StagedChunk } from '../chunks/chunk-writer.js';
import { contentHash } from '../chunks/content-hash.js';
import { documentsAtOnce } from '../config/combinations.js';
import { localModel } from '../config/local-models.js';
import type { DocumentKey } from '../corpus/document.entity.js';
import { type Settings, SETTINGS } from '../config/settings.js';
import { ChunkEmbedder, type PieceRun } from './chunk-embedder.js';
import type { BackgroundWork } from './content-reader.js';
import type { Lease } from './lease.js';
import { contentOf } from './text-patch.js';
import type { Draft, StagedVersion } from './version.js';

/**
 * Maximum number of pieces of a draft that is not staged. The commit writes these pieces directly, because staging them
 * would cost more than it saves. The embedded database needs about 15 ms per chunk and blocks all requests meanwhile.
 */
const MAX_UNSTAGED = { embedded: 4, server: 8 } as const;

/**
 * Number of rows per transaction. The embedded database runs statements one by one, so its transactions must be short.
 */
const BATCHES = {
  embedded: { initial: 1, max: 64, targetMs: 100 },
  server: { initial: 16, max: 16, targetMs: Infinity },
} as const satisfies Record<string, Omit<BatchBounds, 'concurrency'>>;

/** Number of concurrent batches of one draft. The model embeds a batch while the database writes the previous batch. */
const CONCURRENCY = { local: 2, external: 4 } as const;

/** Number of texts that the local model embeds between two progress reports. */
const LOCAL_BATCH = 32;

/**
 * Embeds the pieces of a draft. For a job, stages each batch under the revision of the job, which is invisible to
 * readers. A resumed job therefore continues after its staged batches, and the commit is short even for a long
 * document.
 */
@Injectable()
export class ChunkStaging {
  private readonly concurrency: number;
  private readonly batchSize: number;
  private readonly maxUnstaged: number;
  private readonly batches: AdaptiveBatches;

  constructor(
    private readonly dataSource: DataSource,
    private readonly writer: ChunkWriter,
    private readonly embedder: ChunkEmbedder,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const local = localModel(settings.EMBEDDING_MODEL) !== undefined;
    const home = settings.DATABASE_URL === undefined ? 'embedded' : 'server';
    this.maxUnstaged = MAX_UNSTAGED[home];
    // Index writes cost CPU time of the database, so concurrent writes would slow searches down.
    const concurrency = settings.DATABASE_URL === undefined ? 1 : documentsAtOnce(settings);
    this.batches = new AdaptiveBatches({ ...BATCHES[home], concurrency });
    this.concurrency = local ? CONCURRENCY.local : CONCURRENCY.external;
    this.batchSize = local ? LOCAL_BATCH : settings.EMBEDDING_BATCH_SIZE;
  }

  /**
   * @param work the job; if undefined, nothing is staged and all chunks are returned.
   * @returns chunks for the caller to write, or the revision under which all chunks are staged.
   * @throws LeaseLost; the errors of the embedding model.
   */
  async stage(draft: Draft, work?: BackgroundWork): Promise<StagedVersion['chunks']> {
    const { pieces } = draft;
    if (work === undefined) return this.embedWhole(draft);
    const { lease, report } = work;
    const { job, signal } = lease;
    const staged = await this.reusable(draft, lease);
    if (this.isShort(draft) && staged.size === 0) {
      return this.embedWhole(draft);
    }
    let done = staged.size;
    await report(done / pieces.length);
    const stageRun = async (run: PieceRun): Promise<void> => {
      const [chunks = []] = await this.embedder.embed([run]);
      await this.batches.write(chunks, (batch) => this.write(draft, lease, batch));
      done += chunks.length;
      await report(done / pieces.length);
    };
    const failed = new AbortController();
    await pLimit(this.concurrency).map(unstagedRuns(draft, staged, this.batchSize), async (run) => {
      // After a failure, no further run starts. Runs in progress finish first.
      if (signal.aborted || failed.signal.aborted) return;
      await stageRun(run).catch((error: unknown) => {
        failed.abort(error);
      });
    });
    signal.throwIfAborted();
    failed.signal.throwIfAborted();
    return { revision: job.revision };
  }

  /** Whether a draft is short enough to be written without staging. */
  isShort({ pieces }: Draft): boolean {
    return pieces.length <= this.maxUnstaged;
  }

  /** Embeds short drafts in one call. The caller writes the chunks. @throws the errors of the embedding model. */
  async stageTogether(drafts: readonly Draft[]): Promise<NewChunk[][]> {
    return this.embedder.embed(drafts.map(whole));
  }

  private async embedWhole(draft: Draft): Promise<NewChunk[]> {
    const [chunks = []] = await this.embedder.embed([whole(draft)]);
    return chunks;
  }

  /**
   * Returns the numbers of the staged chunks that match the draft. Drops the first staged chunk that does not match,
   * and all staged chunks after it.
   */
  private async reusable(draft: Draft, lease: Lease): Promise<ReadonlySet<number>> {
    const { revision } = lease.job;
    const reusable = new Set<number>();
    for await (const page of this.writer.staged(draft.scope, draft.document.external_id, revision)) {
      for (const chunk of page) {
        if (!matchesDraft(draft, chunk)) {
          await this.dataSource.transaction(async (manager) => {
            await lease.advance(manager);
            const { appId, documentId } = keyOf(draft);
            await this.writer.withTimeFor(manager, appId, [documentId], () =>
              this.writer.dropStaged(manager, keyOf(draft), revision, chunk.chunk_number),
            );
          });
          return reusable;
        }
        reusable.add(chunk.chunk_number);
      }
    }
    return reusable;
  }

  /** Writes chunks. @returns the duration in milliseconds, which does not include the wait for a connection. */
  private write(draft: Draft, lease: Lease, chunks: readonly NewChunk[]): Promise<number> {
    return this.dataSource.transaction(async (manager) => {
      const begun = performance.now();
      await lease.advance(manager);
      await this.writer.stage(manager, keyOf(draft), lease.job.revision, chunks);
      return performance.now() - begun;
    });
  }
}

function keyOf({ scope, document }: Draft): DocumentKey {
  return { appId: scope.appId, documentId: document.external_id };
}

function matchesDraft(draft: Draft, chunk: StagedChunk): boolean {
  const piece = draft.pieces[chunk.chunk_number - draft.firstChunk];
  return (
    piece !== undefined &&
    draft.tailOffset + piece.start === chunk.start_offset &&
    draft.tailOffset + piece.end === chunk.end_offset &&
    printContext(piece.context ?? NO_CONTEXT) === printContext(chunk.context) &&
    contentHash(contentOf(draft, piece)) === chunk.content_hash
  );
}

function whole(draft: Draft): PieceRun {
  return { draft, index: 0, pieces: draft.pieces };
}

/** Groups the pieces that are not staged yet into runs of at most `size`. */
function unstagedRuns(draft: Draft, staged: ReadonlySet<number>, size: number): PieceRun[] {
  const runs: { draft: Draft; index: number; pieces: Piece[] }[] = [];
  draft.pieces.forEach((piece, index) => {
    if (staged.has(draft.firstChunk + index)) return;
    const last = runs.at(-1);
    const continues =
      last !== undefined && last.index + last.pieces.length === index && last.pieces.length < size;
    if (continues) last.pieces.push(piece);
    else runs.push({ draft, index, pieces: [piece] });
  });
  return runs;
}

export interface BatchBounds {
  /** Number of rows in the first batch, and in the largest batch. */
  readonly initial: number;
  readonly max: number;
  /** Target duration of a batch in milliseconds; Infinity if there is no target. */
  readonly targetMs: number;
  /** Maximum number of concurrent batches. */
  readonly concurrency: number;
}

/**
 * Writes rows in batches, one transaction each. Adapts the size of the batches to a target duration, so that other
 * statements wait only briefly. Concurrent writers alternate batch by batch.
 */
export class AdaptiveBatches {
  private readonly limit: LimitFunction;
  private size: number;

  constructor(private readonly bounds: BatchBounds) {
    this.limit = pLimit(bounds.concurrency);
    this.size = bounds.initial;
  }

  /**
   * Writes rows batch by batch, in order.
   * @param write writes one batch and returns its duration in milliseconds without queueing time
   */
  async write<Row>(rows: readonly Row[], write: (batch: readonly Row[]) => Promise<number>): Promise<void> {
    for (let start = 0; start < rows.length;) {
      start += await this.limit(async () => {
        const batch = rows.slice(start, start + this.size);
        this.adapt(batch.length, await write(batch));
        return batch.length;
      });
    }
  }

  /** Adapts the batch size. At most doubles it, because the first rows of an empty table are not representative. */
  private adapt(count: number, ms: number): void {
    const { max, targetMs } = this.bounds;
    const fitting = Math.floor((count * targetMs) / Math.max(ms, 1));
    this.size = Math.max(1, Math.min(fitting, max, 2 * this.size));
  }
}
