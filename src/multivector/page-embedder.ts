/** Vectors of one page, or of one question. */
export interface MultiVector {
  /** Length of every vector. */
  readonly dims: number;
  /** Row by row, `count` x `dims`; every row has length 1. At least one row. */
  readonly vectors: Float32Array;
}

/** What is known of a page when it is embedded. */
export interface PageInput {
  /** PNG. */
  readonly image: Uint8Array;
  /** The page's own text, from its text layer or by recognition. */
  readonly text: string;
  /** What stands above the page: the title of its document. */
  readonly context: string;
}

/** A question that is an image. */
export interface ImageQuestion {
  /** PNG, as a page would be made of the question's file. */
  readonly image: Uint8Array;
  /** The text in the image; looked at only by an embedder that reads `text`, and empty is fine for every other. */
  readonly text: string;
}

/**
 * Port: pages and questions to many vectors each, compared by late interaction (Khattab and Zaharia 2020, "ColBERT",
 * section 3.3): for every vector of the question the nearest of the page. What is embedded together lies in one space,
 * named by `model`; vectors of two models, or of two lengths, never meet.
 *
 * Every method listens to the signal of the present request or job. Failures: `ProviderFailed`, `TooManyRequests` and
 * `DeadlineExceeded` of a server, `Unavailable` when the local model stopped, and the reason of that signal.
 */
export abstract class PageEmbedder {
  /** Names the space. */
  abstract readonly model: string;
  /**
   * What it looks at. One that reads `text` sees neither layout nor pictures, and needs the text of an image question;
   * one that reads the `image` leaves the text alone.
   */
  abstract readonly reads: 'text' | 'image';

  /** For storage: one a page, in order. Takes any number of pages, batches them itself and lets questions go first. */
  abstract embedPages(pages: readonly PageInput[]): Promise<MultiVector[]>;
  /** For search; somebody waits for it. */
  abstract embedQuery(query: string): Promise<MultiVector>;
  /** For search by an image. Null: the question has nothing that this embedder can look at, as text has none in it. */
  abstract embedImage(question: ImageQuestion): Promise<MultiVector | null>;
}
