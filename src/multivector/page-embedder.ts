/** Vectors of one page or one query. */
export interface MultiVector {
  /** Length of every vector. */
  readonly dims: number;
  /** At least one row of length 1; `count` x `dims`, row by row. */
  readonly vectors: Float32Array;
}

/**
 * Port that embeds page images and queries into many vectors each. Late interaction compares them (Khattab and Zaharia
 * 2020, "ColBERT", section 3.3): each query vector is matched with the nearest vector of the page. `model` names the
 * embedding space; vectors of different models or dimensions are never compared.
 *
 * Every method observes the signal of the current request or job. Throws `ProviderFailed`, `TooManyRequests` and
 * `DeadlineExceeded` of the server, and the abort reason of the signal.
 */
export abstract class PageEmbedder {
  /** Name of the embedding space. */
  abstract readonly model: string;

  /**
   * Embeds pages for storage and returns one multi-vector per page, in order. Batches any number of pages; queries have
   * priority.
   * @param images PNG
   */
  abstract embedPages(images: readonly Uint8Array[]): Promise<MultiVector[]>;
  /** Embeds a query for a search that a caller waits for. */
  abstract embedQuery(query: string): Promise<MultiVector>;
  /**
   * Embeds an image query.
   * @param image PNG, rendered from the file of the query like a page
   */
  abstract embedImage(image: Uint8Array): Promise<MultiVector>;
}
