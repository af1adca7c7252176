import type { ChunkContext } from '../lexical/chunk-context.js';
import type { ScoreParts } from './scores.js';

/** A chunk on its way into the store. */
export interface NewChunk {
  readonly chunkNumber: number;
  readonly content: string;
  /** What was embedded before the content. */
  readonly context: ChunkContext;
  readonly contentType: string;
  /** UTF-16 offsets into the document's text. */
  readonly startOffset: number;
  readonly endOffset: number;
  /** 1-based; null when the format has no pages. */
  readonly pageNumber: number | null;
  /** Laid over the document's metadata in results. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Unit vector in the service's embedding space. */
  readonly embedding: Float32Array;
}

/** A chunk as a search or a look-up returns it, with what its document says about it. */
export interface FoundChunk {
  readonly documentId: string;
  readonly chunkNumber: number;
  readonly content: string;
  readonly contentType: string;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly pageNumber: number | null;
  readonly chunkMetadata: Record<string, unknown>;
  readonly documentMetadata: Record<string, unknown>;
  readonly filename: string | null;
  readonly folderPath: string | null;
  /** The same for all chunks of one version of a document, and different from those of any other. */
  readonly documentVersion: string;
  /** What was embedded before the content. */
  readonly context: ChunkContext;
}

export interface ScoredChunk extends FoundChunk {
  /** In [0, 1]; see docs/retrieval.md. */
  readonly score: number;
  readonly scoreParts: ScoreParts;
}
