import type { ChunkContext } from '#reader';
import type { ScoreComponents } from './hybrid-score.js';

export interface NewChunk {
  readonly chunkNumber: number;
  readonly content: string;
  /** Context, which is embedded before the content. */
  readonly context: ChunkContext;
  readonly contentType: string;
  /** UTF-16 offsets into the document's text. */
  readonly startOffset: number;
  readonly endOffset: number;
  /** 1-based; null: the format has no pages. */
  readonly pageNumber: number | null;
  /** Metadata of the chunk itself, which overrides the document's metadata in results. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Unit vector in the service's embedding space. */
  readonly embedding: Float32Array;
}

/** The start of a chunk that repeats the end of the previous chunk, if the repeated text is on another page. */
export interface Overlap {
  /** UTF-16 code units. */
  readonly length: number;
  /** 1-based. */
  readonly pageNumber: number;
}

/** A chunk row with the metadata of its document. */
export interface ChunkRow {
  readonly document_id: string;
  readonly chunk_number: number;
  readonly content: string;
  readonly content_type: string;
  readonly start_offset: number;
  readonly end_offset: number;
  /** Page of the text after the overlap. */
  readonly page_number: number | null;
  /** null: no overlap from another page. */
  readonly overlap: Overlap | null;
  readonly chunk_metadata: Record<string, unknown>;
  readonly document_metadata: Record<string, unknown>;
  readonly filename: string | null;
  readonly folder_path: string | null;
  /** Context, which is embedded before the content. */
  readonly context: ChunkContext;
}

export interface ScoredChunk extends ChunkRow {
  /** In [0, 1]; see docs/guide/search.md. */
  readonly score: number;
  readonly score_parts: ScoreComponents;
}
