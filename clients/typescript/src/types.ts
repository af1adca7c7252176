import type { components } from './schema.js';

type Schemas = components['schemas'];

/** The record of a document. */
export type DocumentRecord = Schemas['DocumentDto'];
/** A document of a listing; with `fields`, only the parts asked for. */
export type ListedDocument = Schemas['ListedDocumentDto'];
export type DocumentPage = Schemas['DocumentListDto'];
export type DocumentStatus = Schemas['DocumentStatusDto'];
export type Chunk = Schemas['ChunkResultDto'];
export type GroupedChunks = Schemas['GroupedChunksDto'];
export type DocumentResult = Schemas['DocumentResultDto'];
export type DocumentPages = Schemas['DocumentPagesDto'];
/** The state of every part. */
export type Health = Schemas['HealthDto'];
/** Models by name, without addresses and keys. */
export type Models = Schemas['ModelsDto'];
/** Where a file is downloaded from, without a key, until the address expires. */
export type DownloadUrl = Schemas['DownloadUrlDto'];
export type Folder = Schemas['FolderDto'];
export type FolderCount = Schemas['FolderSummaryDto'];
export type Chat = Schemas['ChatDto'];
export type ChatTurn = Schemas['ChatTurnDto'];
export type Key = Schemas['KeyDto'];
/** A key with the key itself, which is shown once. */
export type IssuedKey = Schemas['IssuedKeyDto'];
/** Without `expires_in` a key lives for ten years. */
export type CreateKeyRequest = Pick<Schemas['CreateKeyDto'], 'name' | 'scopes'> &
  Partial<Omit<Schemas['CreateKeyDto'], 'name' | 'scopes'>>;
export type SignInLink = Schemas['SignInLinkDto'];
export type KeyUsage = Schemas['KeyUsageDto'];
export type Success = Schemas['SuccessDto'];
export type ValidationProblem = Schemas['ValidationItemDto'];

export type IngestTextRequest = Schemas['IngestTextRequest'];
export type RetrieveRequest = Schemas['RetrieveDto'];
/** With `explain` the passages say what their scores are made of. */
export type RetrieveChunksRequest = Schemas['RetrieveChunksDto'];
/** A question; how the answer comes is decided by the method that it is given to. */
export type QueryRequest = Omit<Schemas['QueryDto'], 'stream_response'>;
export type UpdateTextRequest = Schemas['UpdateTextDto'];
export type SearchDocumentsRequest = Schemas['SearchDocumentsRequest'];
export type BatchChunksRequest = Schemas['BatchChunksRequest'];
export type PagesRequest = Schemas['PagesRequest'];
export type CreateFolderRequest = Schemas['CreateFolderRequest'];
export type Completion = Schemas['CompletionDto'];

/** An event of a streamed completion. The contents of `assistant` together are the completion. */
export type CompletionEvent =
  | { readonly type: 'assistant'; readonly content: string }
  | (Omit<Completion, 'completion'> & {
      readonly type: 'done';
      /** The validated value, when a `schema` was given. */
      readonly completion?: Completion['completion'];
    });

export interface CallOptions {
  /** Ends the request and what the service does for it. */
  readonly signal?: AbortSignal;
}

export interface UpdateTextOptions extends CallOptions {
  /** Unset: as the service is configured, `add` by default. */
  readonly strategy?: 'add' | 'replace';
  /** Made for each call when it is not given; give one of your own to repeat a call in another process. */
  readonly idempotencyKey?: string;
}

export interface WaitOptions extends CallOptions {
  /** Called with every status that is seen, the last one included. */
  readonly onStatus?: (status: DocumentStatus) => void;
  /** How long one request for the status waits at the service, 30 by default; fewer tell of progress more often. */
  readonly seconds?: number;
}

/** One listing of documents, as large as `limit` says. */
export type WindowOptions = CallOptions &
  Schemas['ListDocumentsRequest'] & {
    readonly folder_name?: string[];
    readonly folder_depth?: number;
    readonly end_user_id?: string;
  };

/** Which documents are listed, in which order, and how many with one request. */
export type ListOptions = CallOptions &
  Omit<Schemas['ListDocumentsRequest'], 'skip' | 'limit' | 'return_documents'> & {
    /** Documents of a page, at most 1,000. */
    readonly pageSize?: number;
    readonly folder_name?: string[];
    readonly folder_depth?: number;
    readonly end_user_id?: string;
  };

export interface UploadProgress {
  /** Bytes of the file that have left. */
  readonly sent: number;
  /** Bytes of the file. */
  readonly total: number;
}

export interface FileOptions extends CallOptions {
  /** Needed when the file is a Blob without a name. */
  readonly filename?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly metadata_types?: Readonly<Record<string, string>>;
  readonly use_colpali?: boolean;
  readonly onProgress?: (progress: UploadProgress) => void;
}

export interface IngestFileOptions extends FileOptions {
  readonly folder_name?: string;
  readonly end_user_id?: string;
  readonly rules?: readonly object[];
}

export interface UpdateFileOptions extends FileOptions {
  readonly update_strategy?: 'add' | 'replace';
}
