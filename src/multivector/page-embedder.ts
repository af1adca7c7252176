/** Vectors of one page, or of one question. */
export interface MultiVector {
  /** Length of every vector. */
  readonly dims: number;
  /** Row by row, `count` x `dims`; every row has length 1. At least one row. */
  readonly vectors: Float32Array;
}

/**
 * Port: images of pages and questions to many vectors each, compared by late interaction (Khattab and Zaharia 2020,
 * "ColBERT", section 3.3): for every vector of the question the nearest of the page. What is embedded together lies in
 * one space, named by `model`; vectors of two models, or of two lengths, never meet.
 *
 * Every method listens to the signal of the present request or job. Failures: `ProviderFailed`, `TooManyRequests` and
 * `DeadlineExceeded` of a server, and the reason of that signal.
 */
export abstract class PageEmbedder {
  /** Names the space. */
  abstract readonly model: string;

  /**
   * For storage: one a page, in order. Takes any number of pages, batches them itself and lets questions go first.
   * @param images PNG
   */
  abstract embedPages(images: readonly Uint8Array[]): Promise<MultiVector[]>;
  /** For search; somebody waits for it. */
  abstract embedQuery(query: string): Promise<MultiVector>;
  /**
   * For search by an image.
   * @param image PNG, as a page would be made of the question's file
   */
  abstract embedImage(image: Uint8Array): Promise<MultiVector>;
}
