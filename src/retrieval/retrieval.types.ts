import type { ChunkContext } from '#reader';
import type { Overlap } from '../chunks/chunk.js';
import type { ScoreComponents } from '../chunks/hybrid-score.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { Filter } from '../filters/filter.js';
import type { RetrievalPlan } from '../pages/page-retrieval.js';

export type { RetrievalPlan };

/** Format of the content of page images. Has no effect on text chunks. */
export type OutputFormat = 'base64' | 'url' | 'text';

/** A validated retrieval request. */
export interface RetrieveRequest {
  /** Exactly one of `query` and `queryImage` is set. */
  readonly query: string | null;
  readonly queryImage: string | null;
  readonly filter: Filter | null;
  readonly k: number;
  readonly minScore: number;
  /** null: the configured default. */
  readonly useReranking: boolean | null;
  readonly useColpali: boolean;
  readonly outputFormat: OutputFormat;
  readonly padding: number;
  /** Normalised folder paths, OR-ed; null: every folder; an empty list matches nothing. */
  readonly folders: readonly string[] | null;
  /** 0: only these folders; -1: also all descendants; n: also descendants up to n levels deep. */
  readonly folderDepth: number;
  readonly endUserId: string | null;
  /** Additional terms for the lexical search (entity names and their variants); never embedded. */
  readonly lexicalExpansion?: readonly string[];
  /** Whether passages include their score components; default: no. */
  readonly withScoreComponents?: boolean;
}

/** A retrieved passage or page image. */
export interface RetrievedChunk {
  readonly documentId: string;
  /** 0-based position in the document. */
  readonly chunkNumber: number;
  readonly content: string;
  /** Title of the document, and the headings and table header that belong to the content. */
  readonly context: ChunkContext;
  /** In [0, 1]; 0 for padding. */
  readonly score: number;
  /** Metadata of the document, overridden by the metadata of the chunk. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly contentType: string;
  readonly filename: string | null;
  readonly downloadUrl: string | null;
  readonly isPadding: boolean;
  /** 1-based page of the text after the overlap; null when unknown. */
  readonly pageNumber: number | null;
  /** null: the whole content is on one page. */
  readonly overlap: Overlap | null;
  /** Object store key of a page image; null: a text chunk. */
  readonly imageKey: string | null;
  /** Score components of a match, if requested; absent for a page that matched by its image. */
  readonly scoreComponents?: ScoreComponents;
}

/** A retrieved document with its best chunk. */
export interface RetrievedDocument {
  readonly chunk: RetrievedChunk;
  readonly document: DocumentRow;
}

export interface ChunkGroup {
  readonly mainChunk: RetrievedChunk;
  readonly paddingChunks: readonly RetrievedChunk[];
}

export interface Retrieved {
  /** Main matches in rank order, then padding chunks; each chunk once. */
  readonly chunks: readonly RetrievedChunk[];
  readonly groups: readonly ChunkGroup[];
  readonly plan: RetrievalPlan;
}
