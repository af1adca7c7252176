import type { Unreadable } from './readability.js';

/**
 * Interface to an embedding model. Vectors have length 1, so that their dot product is the cosine. Adapters return one
 * vector for each text, in order. Vectors may be cached: do not modify them.
 *
 * Failures: `ProviderFailed`, `TooManyRequests` and `DeadlineExceeded` from an external endpoint, `Unavailable` after a
 * crash of the local model, and the abort reason of the current request or job.
 */
export abstract class Embedder {
  /** Name of the embedding space. Vectors of different models are never compared. */
  abstract readonly model: string;
  /** Length of every vector. */
  abstract readonly dimensions: number;
  /** Embeds documents in batches, at a lower priority than queries. */
  abstract embedDocuments(texts: readonly string[]): Promise<Float32Array[]>;
  /** Embeds a search query at a high priority. */
  abstract embedQuery(text: string): Promise<Float32Array>;
  /**
   * Cosine with a score of 0, in [-1, 1). The dense score component is `(cosine - floor) / (1 - floor)`, at least 0.
   * With a floor of -1, the component is `(1 + cosine) / 2`.
   */
  abstract readonly cosineFloor: number;
  /** Returns the out-of-vocabulary words of a question, in less than 10 ms; the first call loads a tokenizer. */
  abstract unreadable(question: string): Promise<Unreadable>;
}
