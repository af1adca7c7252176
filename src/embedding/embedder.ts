import type { Unreadable } from './readability.js';

/**
 * Port to an embedding model. Vectors have length 1, so that their dot product is the cosine. Adapters return one vector
 * for each text, in order. Vectors may be cached: do not modify them.
 *
 * Failures: `ProviderFailed`, `TooManyRequests` and `DeadlineExceeded` from an external endpoint, `Unavailable` after a
 * crash of the local model, and the abort reason of the current request or job.
 */
export abstract class Embedder {
  /** Name of the embedding space. Vectors of different models are never compared. */
  abstract readonly model: string;
  /** Length of every vector. */
  abstract readonly dimensions: number;
  /** Embeds documents in batches. Queries have priority. */
  abstract embedDocuments(texts: readonly string[]): Promise<Float32Array[]>;
  /** Embeds a search query with priority. */
  abstract embedQuery(text: string): Promise<Float32Array>;
  /**
   * Cosine of unrelated texts, in [-1, 1). The dense score component is `(cosine - floor) / (1 - floor)`, at least 0. For
   * -1 it is `(1 + cosine) / 2`.
   */
  abstract readonly cosineFloor: number;
  /** Returns the out-of-vocabulary words of a question. Synchronous, less than 10 ms for the longest question. */
  abstract unreadable(question: string): Unreadable;
}
