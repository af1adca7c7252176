import type { EncodedPage } from './page-vectors.js';

/** A page image on its way into the store. */
export interface NewPage {
  /** From 1, in the document. */
  readonly pageNumber: number;
  /** Of the PNG. */
  readonly objectKey: string;
  /** Of the PNG, in bytes. */
  readonly imageSize: number;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** The page's own text. */
  readonly content: string;
  /** null: there is no model that sees pages. */
  readonly encoded: EncodedPage | null;
  /** Perceptual hash of the image, 64 characters of 0 and 1; null: it is of one colour. */
  readonly fingerprint: string | null;
}

/** A page that readers see. */
export type PageImageRow = Pick<NewPage, 'pageNumber' | 'objectKey' | 'width' | 'height'>;

/** A page that readers see, with what its document says about it. */
export interface FoundPage extends Pick<NewPage, 'pageNumber' | 'objectKey' | 'content'> {
  readonly documentId: string;
  readonly documentMetadata: Record<string, unknown>;
  readonly filename: string | null;
  readonly folderPath: string | null;
}

/** A page that may be among the best for a question. */
export interface CandidatePage extends FoundPage {
  readonly pageId: string;
  /** null: no model has seen it. */
  readonly vectors: Buffer | null;
  /**
   * How alike its fingerprint and that of an image in question are, from 0, which is half of the bits or fewer, as between
   * any two pictures, to 1, which is all of them; null where that was not asked.
   */
  readonly likeness: number | null;
}

export interface ScoredPage extends FoundPage {
  /** In [0, 1]; see docs/pages.md. */
  readonly score: number;
}
