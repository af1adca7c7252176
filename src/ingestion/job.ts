import type { ChunkSizes } from '../config/combinations.js';
import type { StoredFile } from '../corpus/document-row.js';
import type { TypedMetadata } from '../metadata/typed-metadata.js';
import type { Piece } from '../splitting/piece.js';
import type { Rule } from './rules/rule.js';

/** How new content meets the text that is there: after a blank line, or in its place. */
export const UPDATE_STRATEGIES = ['add', 'replace'] as const;
export type UpdateStrategy = (typeof UPDATE_STRATEGIES)[number];

/**
 * Where the content is, and what the caller said of it. A text is not parsed: one that was posted is the text of its
 * document already; one that rules make another text of is kept as it came, as UTF-8 in the store.
 */
export type Source =
  | { readonly kind: 'posted' }
  | { readonly kind: 'text'; readonly key: string }
  | {
      readonly kind: 'file';
      readonly key: string;
      readonly filename: string | null;
      readonly declaredType: string | null;
    };

/** What a file brings to a document that is there already. */
interface FileUpdate {
  readonly strategy: UpdateStrategy;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  readonly useColpali: boolean;
  /** The stored file, without the version that it becomes. */
  readonly file: Omit<StoredFile, 'version'>;
}

export interface JobPayload {
  readonly source: Source;
  /** null: the source makes the first version of the document, or makes its present one again. */
  readonly update: FileUpdate | null;
  /** What a model does with the content; absent: nothing. */
  readonly rules?: readonly Rule[];
  /** Sizes of the chunks; absent: those of the configuration. */
  readonly chunks?: ChunkSizes;
  /** Metadata keys that callers have set since: what the job brings for them is older. */
  readonly overruled?: readonly string[];
  /** What the rules have made of the content: a model is not asked again, and would not answer the same. */
  readonly ruled?: RuledSource;
}

/** The outcome of rules, without what a parser finds again. */
export interface RuledSource {
  /** null: as it was parsed. */
  readonly text: string | null;
  /** null: to be split. */
  readonly pieces: readonly Piece[] | null;
  readonly chunkMetadata: readonly Readonly<Record<string, unknown>>[] | null;
  readonly extracted: TypedMetadata;
}

export interface IngestionJob {
  readonly appId: string;
  readonly jobId: string;
  readonly documentId: string;
  /** Of the chunks that the job writes; the jobs of one document run in the order of their revisions. */
  readonly revision: string;
  readonly payload: JobPayload;
  /** Bytes of the source. */
  readonly size: number;
  /** Tries since the job last got ahead, this one included. */
  readonly attempts: number;
}
