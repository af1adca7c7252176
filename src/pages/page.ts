import type { EncodedPage } from './page-vectors.js';

export interface NewPage {
  /** 1-based number of the page in its document. */
  readonly pageNumber: number;
  /** Object key of the PNG. */
  readonly objectKey: string;
  /** Size of the PNG in bytes. */
  readonly imageSize: number;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly content: string;
  /** null: no page embedder is configured. */
  readonly encoded: EncodedPage | null;
  /** Perceptual hash of the image, 64 characters of 0 and 1; null: the image has a single colour. */
  readonly fingerprint: string | null;
}

/** A visible page with the metadata of its document. */
export interface PageRow {
  readonly document_id: string;
  readonly page_number: number;
  readonly object_key: string;
  readonly content: string;
  readonly document_metadata: Record<string, unknown>;
  readonly filename: string | null;
  readonly folder_path: string | null;
}

export interface CandidatePage extends PageRow {
  readonly page_id: string;
  /** null: not embedded. */
  readonly vectors: Buffer | null;
  /**
   * Similarity of the fingerprints of the page and the query image, from 0 (at most half of the bits are equal, as for
   * unrelated images) to 1 (all bits are equal); null: the question has no fingerprint.
   */
  readonly likeness: number | null;
}

export interface ScoredPage extends PageRow {
  /** In [0, 1]; see docs/guide/pages.md. */
  readonly score: number;
}
