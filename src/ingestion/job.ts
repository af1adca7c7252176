import type { ChunkSizes, Piece } from '#reader';
import type { StoredFile } from '../corpus/document-row.js';
import type { TypedMetadata } from '../metadata/typed-metadata.js';
import type { Rule } from './rules/rule.js';

/** Update strategies: append the content after a blank line, or replace the text. */
export const UPDATE_STRATEGIES = ['add', 'replace'] as const;
export type UpdateStrategy = (typeof UPDATE_STRATEGIES)[number];

/**
 * Location of the content, with what the caller has declared about it. Texts are not parsed. A posted text is already
 * stored as the text of its document. A text with rules is stored unchanged, as UTF-8, in the object store.
 */
export type Source =
  | { readonly kind: 'posted' }
  | { readonly kind: 'text'; readonly key: string }
  | {
      readonly kind: 'file';
      readonly key: string;
      readonly filename: string | null;
      readonly declaredType: string | null;
    }
  /** The stored text and chunks. The document was renamed, so only the titles in the contexts of the chunks change. */
  | { readonly kind: 'chunks' };

interface FileUpdate {
  readonly strategy: UpdateStrategy;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  readonly useColpali: boolean;
  /** Person who sent the file; null: an application. Absent in jobs that an older release enqueued. */
  readonly endUserId?: string | null;
  /** The stored file. Its version is not known yet. */
  readonly file: Omit<StoredFile, 'version'>;
}

export interface JobPayload {
  readonly source: Source;
  /** null if the source creates the first version of the document, or rebuilds the current version. */
  readonly update: FileUpdate | null;
  /** Rules for the content; absent if there are none. */
  readonly rules?: readonly Rule[];
  /** Chunk sizes; absent for the configured sizes. */
  readonly chunks?: ChunkSizes;
  /** Metadata keys that callers have set since the job was enqueued; the job must not overwrite them. */
  readonly overruled?: readonly string[];
  /** Outcome of the rules. It is kept so that a retry does not call the model again. */
  readonly ruled?: RuledSource;
}

/** Outcome of rules. Omits everything that a retry gets by parsing the source again. */
export interface RuledSource {
  /** The rewritten text; null if the rules did not change the text. */
  readonly text: string | null;
  /** Pieces of the text; null if the text is not split yet. */
  readonly pieces: readonly Piece[] | null;
  readonly chunkMetadata: readonly Readonly<Record<string, unknown>>[] | null;
  readonly extracted: TypedMetadata;
}

export interface IngestionJob {
  readonly appId: string;
  readonly jobId: string;
  readonly documentId: string;
  /** Revision of the chunks that the job writes. The jobs of a document run in the order of their revisions. */
  readonly revision: string;
  readonly payload: JobPayload;
  /** Size of the source in bytes. */
  readonly size: number;
  /** Attempts since the last progress, including this one. */
  readonly attempts: number;
}
