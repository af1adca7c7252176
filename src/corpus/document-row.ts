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
  readonly timestamp: string;
  readonly strategy: string;
  readonly filename?: string;
  readonly metadata_updated: boolean;
}

export type DocumentStatus = 'processing' | 'completed' | 'failed';

/** A row of `documents`; names as in the table. */
export interface DocumentRow {
  readonly app_id: string;
  readonly external_id: string;
  readonly status: DocumentStatus;
  readonly version: number;
  readonly content_type: string;
  readonly filename: string | null;
  readonly metadata: Record<string, unknown>;
  readonly metadata_types: Record<string, string>;
  readonly additional_metadata: Record<string, unknown>;
  readonly storage_files: readonly StoredFile[];
  readonly folder_path: string | null;
  readonly folder_id: string | null;
  readonly end_user_id: string | null;
  readonly use_colpali: boolean;
  readonly embedding_model: string | null;
  readonly page_count: number | null;
  readonly chunk_count: number;
  /** UTF-16 units of the document's text. */
  readonly text_length: number;
  readonly progress: Progress | null;
  readonly error: string | null;
  readonly update_history: readonly HistoryEntry[];
  readonly created_at: Date;
  readonly updated_at: Date;
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

/** What a finished version brings. */
export interface FinishedVersion {
  readonly contentType: string;
  readonly chunkCount: number;
  readonly textLength: number;
  readonly pageCount: number | null;
  readonly additionalMetadata: Readonly<Record<string, unknown>>;
  readonly embeddingModel: string;
}
