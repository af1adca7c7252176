/** A stored source of a document: one for every version that came as a file. */
export interface StoredFile {
  readonly bucket: string;
  readonly key: string;
  readonly version: number;
  readonly filename: string | null;
  readonly content_type: string;
  /** ISO 8601. */
  readonly timestamp: string;
}

export interface Progress {
  readonly current_step: number;
  readonly total_steps: number;
  readonly step_name: string;
  /** 0 to 100. */
  readonly percentage: number;
}

export interface HistoryEntry {
  readonly version: number;
  /** ISO 8601. */
  readonly timestamp: string;
  readonly strategy: string;
  readonly filename?: string;
  readonly metadata_updated: boolean;
}

export const DOCUMENT_STATUSES = ['processing', 'completed', 'failed'] as const;
export type DocumentStatus = (typeof DOCUMENT_STATUSES)[number];

/** A row of `documents`; names as in the table. */
export interface DocumentRow {
  readonly app_id: string;
  readonly external_id: string;
  /** `completed` from the first finished version on: such a document answers, also while another version is made. */
  readonly status: DocumentStatus;
  readonly version: number;
  /** Raised when the text changes, and not when metadata does alone. */
  readonly text_version: number;
  readonly content_type: string;
  readonly filename: string | null;
  readonly metadata: Record<string, unknown>;
  readonly metadata_types: Record<string, string>;
  readonly additional_metadata: Record<string, unknown>;
  readonly storage_files: readonly StoredFile[];
  /** The job that made the text, for a requeue; null when the text did not come from a stored source alone. */
  readonly ingested_from: unknown;
  readonly folder_path: string | null;
  readonly folder_id: string | null;
  readonly end_user_id: string | null;
  readonly use_colpali: boolean;
  readonly embedding_model: string | null;
  readonly page_count: number | null;
  readonly chunk_count: number;
  /** UTF-16 units of the document's text. */
  readonly text_length: number;
  /** Revisions of the chunks that readers see. */
  readonly live_revisions: readonly string[];
  /** Of the job that is queued or running; null when there is none. */
  readonly progress: Progress | null;
  readonly error: string | null;
  readonly update_history: readonly HistoryEntry[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The status that clients see: a document in the works is `processing`, whether or not an older version answers. */
export function statusOf({ status, progress }: Pick<DocumentRow, 'status' | 'progress'>): DocumentStatus {
  return progress === null ? status : 'processing';
}

/** What a caller says about a document when it comes in. */
export interface NewDocument {
  readonly externalId: string;
  readonly contentType: string;
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  readonly storageFiles: readonly StoredFile[];
  readonly folder: { readonly id: string; readonly path: string } | null;
  readonly endUserId: string | null;
  readonly useColpali: boolean;
  readonly progress: Progress;
}

/** What a change of metadata brings; metadata and its types are merged key by key, at the top level. */
export interface MetadataChange {
  readonly version: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, string>>;
  /** Absent for the first version. */
  readonly entry?: HistoryEntry;
}

/** What a finished version of the text brings. */
export interface VersionChange extends MetadataChange {
  readonly textVersion: number;
  readonly filename: string | null;
  readonly contentType: string;
  readonly chunkCount: number;
  readonly textLength: number;
  readonly liveRevisions: readonly string[];
  readonly pageCount: number | null;
  readonly additionalMetadata: Readonly<Record<string, unknown>>;
  readonly embeddingModel: string;
  readonly useColpali: boolean;
  /** Sources that came with it, added to those of earlier versions. */
  readonly storageFiles: readonly StoredFile[];
  readonly ingestedFrom: unknown;
  /** Of the next job, when there is one. */
  readonly progress: Progress | null;
}
