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

/** A page that readers see, as statements return it, with what its document says about it. */
export interface PageRow {
  readonly document_id: string;
  readonly page_number: number;
  readonly object_key: string;
  readonly content: string;
  readonly document_metadata: Record<string, unknown>;
  readonly filename: string | null;
  readonly folder_path: string | null;
}

/** A page that may be among the best for a question. */
export interface CandidatePage extends PageRow {
  readonly page_id: string;
  /** null: no model has seen it. */
  readonly vectors: Buffer | null;
  /**
   * How alike its fingerprint and that of an image in question are, from 0, which is half of the bits or fewer, as between
   * any two pictures, to 1, which is all of them; null where that was not asked.
   */
  readonly likeness: number | null;
}

export interface ScoredPage extends PageRow {
  /** In [0, 1]; see docs/pages.md. */
  readonly score: number;
}
