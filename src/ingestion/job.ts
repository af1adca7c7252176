import type { StoredFile } from '../corpus/document-row.js';

/** How new content meets the text that is there: after a blank line, or in its place. */
export const UPDATE_STRATEGIES = ['add', 'replace'] as const;
export type UpdateStrategy = (typeof UPDATE_STRATEGIES)[number];

/** Where the bytes are, and what the caller said of them. A text is stored as UTF-8 and not parsed. */
export type Source =
  | { readonly kind: 'text'; readonly key: string }
  | {
      readonly kind: 'file';
      readonly key: string;
      readonly filename: string | null;
      readonly declaredType: string | null;
    };

/** What a file brings to a document that is there already. */
export interface FileUpdate {
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
}

export interface IngestionJob {
  readonly appId: string;
  readonly jobId: string;
  readonly documentId: string;
  /** Of the chunks that the job writes; the jobs of one document run in the order of their revisions. */
  readonly revision: string;
  readonly payload: JobPayload;
  /** Tries since the job last got ahead, this one included. */
  readonly attempts: number;
}
