/** A page image with its vectors, encoded as they are stored. */
export interface NewPage {
  /** From 1, in the document. */
  readonly pageNumber: number;
  /** Of the PNG. */
  readonly objectKey: string;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** The page's own text. */
  readonly content: string;
  /** Title of the document; empty: it has none. */
  readonly context: string;
  readonly vectors: Buffer;
  readonly vectorCount: number;
  readonly encoding: Float32Array;
  readonly fingerprint: Buffer | null;
}

/** A page that a job has written under its own revision and nobody sees yet. */
export type StagedPage = Pick<NewPage, 'pageNumber' | 'context'>;

/** A page that readers see. */
export type PageImageRow = Pick<NewPage, 'pageNumber' | 'objectKey' | 'width' | 'height'>;

/** The document whose pages are written. */
export interface PagedDocument {
  readonly appId: string;
  readonly documentId: string;
}
