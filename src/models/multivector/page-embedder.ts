/** Vectors of one page or one query. */
export interface MultiVector {
  readonly dims: number;
  /** One or more vectors of norm 1, concatenated. Each vector has `dims` numbers. */
  readonly vectors: Float32Array;
}

/**
 * Interface to a model that embeds each page image and each query into many vectors. A query and a page are compared by
 * late interaction (Khattab and Zaharia 2020, "ColBERT", section 3.3): each query vector is matched with the nearest
 * vector of the page. Vectors of different models or dimensions are never compared.
 *
 * Every method observes the signal of the current request or job. Throws `ProviderFailed`, `TooManyRequests` and
 * `DeadlineExceeded` of the server, and the abort reason of the signal.
 */
export abstract class PageEmbedder {
  /** Name of the embedding space. */
  abstract readonly model: string;

  /**
   * Embeds pages for storage and returns one multi-vector per page, in order. Splits any number of pages into batches.
   * @param images PNG
   */
  abstract embedPages(images: readonly Uint8Array[]): Promise<MultiVector[]>;
  /** Embeds a query for a search that a caller waits for. */
  abstract embedQuery(query: string): Promise<MultiVector>;
  /**
   * Embeds an image query.
   * @param image PNG, rendered from the query image in the same way as a page
   */
  abstract embedImage(image: Uint8Array): Promise<MultiVector>;
}
