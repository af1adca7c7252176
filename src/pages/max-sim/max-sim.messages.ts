import type { MultiVector } from '../../multivector/page-embedder.js';

/** Pages to score against one question. */
export interface MaxSimRequest {
  readonly id: number;
  readonly question: MultiVector;
  /** Each as `encodedVectors` made it. */
  readonly pages: readonly Uint8Array[];
}

/** Scores in the order of the pages. */
export interface MaxSimReply {
  readonly id: number;
  readonly scores: Float64Array<ArrayBuffer>;
}
