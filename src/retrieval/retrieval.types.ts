import type { SearchPlan } from '../chunks/chunk-search.js';
import type { Overlap } from '../chunks/chunk.js';
import type { ScoreParts } from '../chunks/scores.js';
import type { DocumentRow } from '../corpus/document-row.js';
import type { Filter } from '../filters/filter.js';
import type { ChunkContext } from '../lexical/chunk-context.js';

/** How the content of an image chunk is returned; text chunks are unaffected. */
export type OutputFormat = 'base64' | 'url' | 'text';

/** A validated retrieval request, as services pass it on. */
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
  /** 0: those folders only; -1: all descendants; n: up to n levels deeper. */
  readonly folderDepth: number;
  readonly endUserId: string | null;
  /** More words for the lexical side (entity names and their variants); never embedded. */
  readonly lexicalExpansion?: readonly string[];
  /** Whether passages say what their scores are made of; unset: no. */
  readonly explain?: boolean;
}

/** A chunk as retrieval returns it. */
export interface RetrievedChunk {
  readonly documentId: string;
  /** 0-based position in the document. */
  readonly chunkNumber: number;
  readonly content: string;
  /** Title, headings and head of the table that the content stands under, for those who read it. */
  readonly context: ChunkContext;
  /** In [0, 1]; 0 for padding. */
  readonly score: number;
  /** Document metadata overlaid with chunk metadata. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly contentType: string;
  readonly filename: string | null;
  readonly downloadUrl: string | null;
  readonly isPadding: boolean;
  /** Page of the text behind the overlap, 1-based; null when unknown. */
  readonly pageNumber: number | null;
  /** null: the whole content is on one page. */
  readonly overlap: Overlap | null;
  /** Of the image of a page, in the object store; null: a text chunk. */
  readonly imageKey: string | null;
  /** Of a passage that matches, or of a page that was found by one, where it was asked for. */
  readonly scoreParts?: ScoreParts;
}

/** A document as retrieval returns it: with its best chunk. */
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

/** Which way a search took and what it counted. */
export interface RetrievalPlan extends SearchPlan {
  /** Where images of pages were compared: pages that match, counted to a thousand, and those compared exactly. */
  readonly pages?: { readonly matching: number; readonly candidates: number };
}
