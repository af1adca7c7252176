import { parentPort } from 'node:worker_threads';
import type { MultiVector } from '../models/multivector/page-embedder.js';
import { maxSim, prepared } from './page-vectors.js';

/** Pages to score against one question. */
export interface MaxSimRequest {
  readonly id: number;
  readonly question: MultiVector;
  /** Output of `encodedVectors`. */
  readonly pages: readonly Uint8Array[];
}

/** Scores in the order of the pages. */
export interface MaxSimReply {
  readonly id: number;
  readonly scores: Float64Array<ArrayBuffer>;
}

// Runs in a worker thread, because scoring the pages for a question takes about 10 ms, which would block the event
// loop.
parentPort?.on('message', ({ id, question, pages }: MaxSimRequest) => {
  const ready = prepared(question);
  const scores = Float64Array.from(pages, (page) =>
    maxSim(ready, new Int8Array(page.buffer, page.byteOffset, page.byteLength)),
  );
  parentPort?.postMessage({ id, scores } satisfies MaxSimReply, [scores.buffer]);
});
