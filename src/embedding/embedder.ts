import type { Unreadable } from './readability.js';

/**
 * Port: text to vectors of length 1, so that the dot product of two of them is their cosine. An adapter answers one
 * vector a text, in order. Vectors may be shared with a cache: read them, do not change them.
 *
 * Failures: `ProviderFailed`, `TooManyRequests` and `DeadlineExceeded` of an external endpoint, `Unavailable` when the
 * local model stopped, and the reason of the signal of the present request or job when the caller left.
 */
export abstract class Embedder {
  /** Names the embedding space; vectors of different models never meet. */
  abstract readonly model: string;
  /** Length of every vector. */
  abstract readonly dimensions: number;
  /** For storage. Takes any number of texts, batches them itself and lets queries go first. */
  abstract embedDocuments(texts: readonly string[]): Promise<Float32Array[]>;
  /** For search; somebody waits for it. */
  abstract embedQuery(text: string): Promise<Float32Array>;
  /**
   * A cosine that stands for "nothing in common": the dense part of a score is `(cosine - floor) / (1 - floor)`, at least
   * 0. In [-1, 1); with -1 it is `(1 + cosine) / 2`.
   */
  abstract readonly cosineFloor: number;
  /** What of a question the model cannot read. Computed at once, in less than 10 ms for the longest question. */
  abstract unreadable(question: string): Unreadable;
}
