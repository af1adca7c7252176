import type { LecternError } from './errors.js';
import type { components } from './schema.js';

type Schemas = components['schemas'];

/** The record of a document. */
export type DocumentRecord = Schemas['DocumentDto'];
/** Who may read and change a document, or what lies below a folder: `user:ID`, `group:ID`, `everyone`. */
export type AccessLists = Schemas['AccessListsDto'];
/** A document in the list. If the request has `fields`, the document has only these fields. */
export type ListedDocument = Schemas['ListedDocumentDto'];
export type DocumentPage = Schemas['DocumentListDto'];
export type DocumentStatus = Schemas['DocumentStatusDto'];
export type DeletedDocuments = Schemas['DeletedDocumentsDto'];
export type RequeueResponse = Schemas['RequeueResponseDto'];
export type Chunk = Schemas['ChunkResultDto'];
export type GroupedChunks = Schemas['GroupedChunksDto'];
export type DocumentResult = Schemas['DocumentResultDto'];
export type DocumentPages = Schemas['DocumentPagesDto'];
/** Metadata fields with types and counts. */
export type MetadataFields = Schemas['FieldsDto'];
/** Values of a metadata field with counts. */
export type MetadataValues = Schemas['ValuesDto'];
/** An event of `events()`; `type` tells which. */
export type StreamEvent =
  | Schemas['StreamReadyDto']
  | Schemas['StreamResetDto']
  | Schemas['DocumentChangedDto']
  | Schemas['DocumentProgressDto']
  | Schemas['DocumentFailedDto'];
export type Webhook = Schemas['WebhookDto'];
/** A webhook with its secret, which no later response contains. */
export type IssuedWebhook = Schemas['WebhookSecretDto'];
export type CreateWebhookRequest = Schemas['CreateWebhookRequest'];
export type ChangeWebhookRequest = Schemas['ChangeWebhookRequest'];
export type WebhookDelivery = Schemas['DeliveryDto'];
export type WebhookDeliveries = Schemas['DeliveryListDto'];
/** What the receiver of a webhook gets; `type` tells which. */
export type WebhookMessage = Exclude<StreamEvent, Schemas['StreamReadyDto']> | Schemas['WebhookTestDto'];
export type PagePlaces = Schemas['PlacesDto'];
/** Health of all components. */
export type Health = Schemas['HealthDto'];
/** Models by name, without addresses and keys. */
export type Models = Schemas['ModelsDto'];
/** Download URL of a file. The URL works without a key until it expires. */
export type DownloadUrl = Schemas['DownloadUrlDto'];
export type Folder = Schemas['FolderDto'];
/** A folder with what the key may do with all that lies below it. */
export type FolderWithRights = Schemas['FolderWithRightsDto'];
export type FolderCount = Schemas['FolderSummaryDto'];
export type Chat = Schemas['ChatDto'];
export type ChatChange = Schemas['ChatChangeDto'];
/** The link by which others read a chat. */
export type ChatLink = Schemas['SharedChatLinkDto'];
export type ChatSharing = Schemas['ChatSharingDto'];
/** A chat as its link shows it to the key. */
export type SharedChat = Schemas['SharedChatDto'];
export type ChatTurn = Schemas['ChatMessageDto'];
export type ChatVersion = Schemas['ChatVersionDto'];
/** The language model in use, without its key. */
export type InstalledModel = Schemas['ModelSettingsDto'];
export type ConnectModelRequest = Schemas['ConnectModelDto'];
export type TestModelRequest = Schemas['TestModelDto'];
/** Result of the test of a model, in words. */
export type ModelTest = Schemas['ModelTestDto'];
export type ListModelsRequest = Schemas['ListModelsDto'];
/** The models that a provider lists or, in words, why it does not. */
export type ProviderModels = Schemas['ProviderModelsDto'];
export type Key = Schemas['KeyDto'];
/** A new key, with the key itself, which no later response contains. */
export type IssuedKey = Schemas['IssuedKeyDto'];
export type Invitation = Schemas['InvitationDto'];
/** Without `expires_in` a key lives for ten years. */
export type CreateKeyRequest = Pick<Schemas['CreateKeyDto'], 'name' | 'scopes'> &
  Partial<Omit<Schemas['CreateKeyDto'], 'name' | 'scopes'>>;
/** A token for a browser; it expires in minutes. */
export type BrowserToken = Schemas['BrowserTokenDto'];
export type CreateTokenRequest = Schemas['CreateTokenDto'];
export type SignInLink = Schemas['SignInLinkDto'];
export type SessionInfo = Schemas['SessionDto'];
export type SignedOut = Schemas['SignedOutDto'];
export type Device = Schemas['DeviceDto'];
export type DeviceLink = Schemas['DeviceLinkDto'];
export type KeyUsage = Schemas['KeyUsageDto'];
export type Person = Schemas['PersonDto'];
export type PeoplePage = Schemas['PeoplePageDto'];
export type InvitePeopleRequest = Schemas['InvitePeopleDto'];
export type InvitedPeople = Schemas['InvitedPeopleDto'];
export type ChangePersonRequest = Schemas['ChangePersonDto'];
export type RemovedPerson = Schemas['RemovedPersonDto'];
export type NamedPrincipal = Schemas['NamedDto'];
export type Group = Schemas['GroupDto'];
export type Success = Schemas['SuccessDto'];
export type ValidationProblem = Schemas['ValidationItemDto'];

export type IngestTextRequest = Schemas['IngestTextRequest'];
export type RetrieveRequest = Schemas['RetrieveDto'];
/** With `explain` the response contains score components. */
export type RetrieveChunksRequest = Schemas['RetrieveChunksDto'];
/** A query; the method decides whether the answer is streamed. */
export type QueryRequest = Omit<Schemas['QueryDto'], 'stream_response'>;
export type UpdateTextRequest = Schemas['UpdateTextDto'];
export type SearchDocumentsRequest = Schemas['SearchDocumentsRequest'];
export type BatchChunksRequest = Schemas['BatchChunksRequest'];
export type PagesRequest = Schemas['PagesRequest'];
export type CreateFolderRequest = Schemas['CreateFolderRequest'];
export type Completion = Schemas['CompletionDto'];

/** A reader's rating of an answer. */
export type Rating = Pick<Schemas['RatingDto'], 'rating'> & Partial<Schemas['RatingDto']>;

/** A rated answer with its question. */
export type Feedback = Schemas['FeedbackDto'];

/** An answer with an `answer_id` that is being written. */
export type RunningAnswer = Schemas['RunningAnswerDto'];

/** A chunk in the prompt of an answer. */
export type Source = Schemas['CompletionSourceDto'];
/** A statement of an answer with the passage that supports it. */
export type Citation = Schemas['CitationDto'];

/**
 * An event of a streamed completion; `type` tells which. The concatenated `assistant` contents are the completion,
 * unless `done` has a `completion`. A failure is thrown.
 */
export type CompletionEvent =
  Schemas['SourcesEventDto'] | Schemas['AssistantEventDto'] | Schemas['DoneEventDto'];

export interface CallOptions {
  /** Aborts the request and its work at the service. */
  readonly signal?: AbortSignal;
}

export interface AskerOptions extends CallOptions {
  /** End user of the question, for a key that has none. */
  readonly end_user_id?: string;
  /** Groups of the question. */
  readonly groups?: string[];
}

/** A call that happens once, although the client repeats it after a lost response. */
export interface WriteOptions extends CallOptions {
  /** Default: a new key per call. Set the key if another call or process may repeat this one. */
  readonly idempotencyKey?: string;
}

export interface UpdateTextOptions extends WriteOptions {
  /** Default: the service's setting, initially `add`. */
  readonly strategy?: 'add' | 'replace';
}

export interface WaitOptions extends CallOptions {
  /** Called with every status, including the last one. */
  readonly onStatus?: (status: DocumentStatus) => void;
  /**
   * Maximum number of seconds for which the service holds a status request open, 30 by default. A smaller number
   * reports progress more often.
   */
  readonly seconds?: number;
}

/** A page of documents; `limit` is its size. */
export type WindowOptions = CallOptions &
  Schemas['ListDocumentsRequest'] & {
    readonly folder_name?: string[];
    readonly folder_depth?: number;
    readonly end_user_id?: string;
  };

/** The filter, the order and the page size of a list of documents. */
export type ListOptions = CallOptions &
  Omit<Schemas['ListDocumentsRequest'], 'skip' | 'limit' | 'return_documents'> & {
    /** Documents per page, at most 1,000. */
    readonly pageSize?: number;
    readonly folder_name?: string[];
    readonly folder_depth?: number;
    readonly end_user_id?: string;
  };

/** Which documents and items are counted. */
export interface FacetOptions extends CallOptions {
  readonly filters?: Readonly<Record<string, unknown>>;
  readonly folder_name?: string[];
  readonly folder_depth?: number;
  readonly end_user_id?: string;
  /** Case does not matter. */
  readonly prefix?: string;
  /** At most 1,000. */
  readonly limit?: number;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string;
}

/** Which events arrive. */
export interface EventOptions extends CallOptions {
  readonly types?: Exclude<StreamEvent['type'], 'stream.ready' | 'stream.reset'>[];
  readonly document_id?: string;
  readonly folder_name?: string[];
  readonly folder_depth?: number;
  /** Id of the event behind which the stream begins. Default: now. */
  readonly lastEventId?: string;
  /** Called when the connection is lost. `stream.ready` or `stream.reset` tells that there is one again. */
  readonly onInterruption?: (failure: LecternError) => void;
}

export interface UploadProgress {
  /** Bytes sent. */
  readonly sent: number;
  /** Size of the file; Infinity for a stream. */
  readonly total: number;
}

export interface FileOptions extends WriteOptions {
  /** Required for a Blob without a name. */
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
