import { Inject, Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { DataSource } from 'typeorm';
import type { NewChunk } from '../chunks/chunk.js';
import { ChunkWriter, type StagedChunk } from '../chunks/chunk-writer.js';
import { documentsAtOnce } from '../config/combinations.js';
import { localModel } from '../config/local-models.js';
import type { DocumentKey } from '../corpus/document.entity.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { NO_CONTEXT, printContext } from '../lexical/chunk-context.js';
import type { Piece } from '../splitting/piece.js';
import { AdaptiveBatches, type BatchBounds } from './adaptive-batches.js';
import { ChunkEmbedder, contentHash, type PieceRun } from './chunk-embedder.js';
import type { BackgroundWork } from './content-reader.js';
import type { Lease } from './lease.js';
import { contentOf } from './placement.js';
import type { Draft, StagedVersion } from './version.js';

/**
 * Up to this many pieces are not staged but written with the version: the staging would cost more than it saves. On the
 * embedded database a chunk takes some 15 ms, for which all requests wait.
 */
const MAX_UNSTAGED = { embedded: 4, server: 8 } as const;

/**
 * The rows of one transaction. On the embedded database every request waits for those that came before it: it has to be
 * a short one.
 */
const BATCHES = {
  embedded: { initial: 1, max: 64, targetMs: 100 },
  server: { initial: 16, max: 16, targetMs: Infinity },
} as const satisfies Record<string, Omit<BatchBounds, 'concurrency'>>;

/** Batches of one draft in work at once. While one is written the next is embedded; an external model takes several. */
const CONCURRENCY = { local: 2, external: 4 } as const;

/** Texts that the local model embeds between two reports of progress. */
const LOCAL_BATCH = 32;

/**
 * Embeds the pieces of a draft. For a job each batch is written at once, under the job's revision, where no reader sees
 * it: a job that is taken up again goes on behind its finished batches, and the transaction that swaps the version in is
 * short whatever the size of the document.
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
    // Writing an index entry is work for the database alone: what is written at once is taken from its questions.
    const concurrency = settings.DATABASE_URL === undefined ? 1 : documentsAtOnce(settings);
    this.batches = new AdaptiveBatches({ ...BATCHES[home], concurrency });
    this.concurrency = local ? CONCURRENCY.local : CONCURRENCY.external;
    this.batchSize = local ? LOCAL_BATCH : settings.EMBEDDING_BATCH_SIZE;
  }

  /**
   * @param work undefined: nothing is written, and all chunks are returned.
   * @returns chunks that are for the caller to write, or the revision that all of them are staged under.
   * @throws LeaseLost; the errors of the embedding model.
   */
  async stage(draft: Draft, work?: BackgroundWork): Promise<StagedVersion['chunks']> {
    const { pieces } = draft;
    if (work === undefined) return this.embedWhole(draft);
    const { lease, report } = work;
    const { job, signal } = lease;
    const staged = await this.usable(draft, lease);
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
      // After a failure no other run is begun, and those in work are finished first.
      if (signal.aborted || failed.signal.aborted) return;
      await stageRun(run).catch((error: unknown) => {
        failed.abort(error);
      });
    });
    signal.throwIfAborted();
    failed.signal.throwIfAborted();
    return { revision: job.revision };
  }

  /** Whether the chunks of a draft are for the caller to write, unless some are staged already. */
  isShort({ pieces }: Draft): boolean {
    return pieces.length <= this.maxUnstaged;
  }

  /** The chunks of short drafts, each for the caller to write. @throws the errors of the embedding model. */
  async stageTogether(drafts: readonly Draft[]): Promise<NewChunk[][]> {
    return this.embedder.embed(drafts.map(whole));
  }

  private async embedWhole(draft: Draft): Promise<NewChunk[]> {
    const [chunks = []] = await this.embedder.embed([whole(draft)]);
    return chunks;
  }

  /** Numbers of the staged chunks that are still what the draft says; from the first other one on they are dropped. */
  private async usable(draft: Draft, lease: Lease): Promise<ReadonlySet<number>> {
    const { revision } = lease.job;
    const usable = new Set<number>();
    for await (const page of this.writer.staged(draft.scope, draft.document.external_id, revision)) {
      for (const chunk of page) {
        if (!isAsDrafted(draft, chunk)) {
          await this.dataSource.transaction(async (manager) => {
            await lease.advance(manager);
            const { appId, documentId } = keyOf(draft);
            await this.writer.withTimeFor(manager, appId, [documentId], () =>
              this.writer.dropStaged(manager, keyOf(draft), revision, chunk.chunk_number),
            );
          });
          return usable;
        }
        usable.add(chunk.chunk_number);
      }
    }
    return usable;
  }

  /** @returns milliseconds, without those that it waited for the database to be free. */
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

function isAsDrafted(draft: Draft, chunk: StagedChunk): boolean {
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

/** Runs of at most `size` pieces that are not staged yet. */
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
