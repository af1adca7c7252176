import createClient, { type Client } from 'openapi-fetch';
import { answered } from './answer.js';
import { Answers, resumedAnswer } from './answers.js';
import { Chats } from './chats.js';
import { completionEvents, type StreamOptions } from './completion-events.js';
import { documentEvents } from './document-events.js';
import { IngestionError, LecternError } from './errors.js';
import { lastingEvents } from './lasting-events.js';
import { Folders } from './folders.js';
import { Keys } from './keys.js';
import { People } from './people.js';
import { Metadata } from './metadata.js';
import { BrowserSession } from './session.js';
import { ModelSettings } from './model-settings.js';
import { DEFAULT_RETRIES, pause, retryingFetch, withRetries, type RetryPolicy } from './retry.js';
import { randomKey } from './random-key.js';
import type { paths } from './schema.js';
import type {
  BatchChunksRequest,
  AccessLists,
  CallOptions,
  Chunk,
  Completion,
  CompletionEvent,
  DeletedDocuments,
  DocumentPage,
  DocumentPages,
  DocumentRecord,
  DocumentResult,
  DocumentStatus,
  DownloadUrl,
  EventOptions,
  FileOptions,
  GroupedChunks,
  Health,
  IngestFileOptions,
  IngestTextRequest,
  ListedDocument,
  ListOptions,
  Models,
  PagePlaces,
  PagesRequest,
  QueryRequest,
  RequeueResponse,
  RetrieveChunksRequest,
  RetrieveRequest,
  StreamEvent,
  SearchDocumentsRequest,
  Success,
  UpdateFileOptions,
  UpdateTextOptions,
  UpdateTextRequest,
  WaitOptions,
  WindowOptions,
  WriteOptions,
} from './types.js';
import { Tokens } from './tokens.js';
import { type FileStream, isStream, type StreamForm, streamFormRequest } from './stream-form.js';
import { sendForm, type Upload } from './upload.js';
import { Webhooks } from './webhooks.js';

export interface LecternClientOptions {
  /** Base URL of the service. */
  readonly url: string;
  /** API key; not needed for a service with `AUTH_MODE=none`. */
  readonly key?: string | undefined;
  /**
   * Makes a token, as an alternative to `key`. Called before the first request, shortly before a JWT ends, and after a
   * 401. If the function throws, the method that needs the token throws the same error; a TypeError, as of a fetch without
   * a connection, is a LecternError with status 0.
   */
  readonly token?: (() => Promise<string>) | undefined;
  /** Replaces the platform's fetch. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /** Changes the retry policy; `{ retries: 0 }` disables retries. */
  readonly retry?: Partial<RetryPolicy>;
}

/**
 * Maximum number of seconds for which the service holds a status request open, until the status changes (long polling).
 */
const WAIT_SECONDS = 30;
/** Delay before the next status request if the service answered the last one without waiting. */
const POLL_MS = 500;
const PAGE_SIZE = 100;

/**
 * The main operations of a Lectern service; `raw` has all routes. Names and values are the same as in the REST API. All
 * methods throw LecternError if a request fails.
 *
 * @example
 * const lectern = new LecternClient({ url: 'http://127.0.0.1:8000', key });
 * const { external_id: id } = await lectern.ingestText({ content: 'The lamp is lit at dusk.' });
 * await lectern.wait(id);
 * const { completion, sources } = await lectern.query({ query: 'When is the lamp lit?' });
 */
export class LecternClient {
  /**
   * Typed access to every route of the OpenAPI document. Its methods return `{data, error, response}`, and do not throw
   * for an error status.
   */
  readonly raw: Client<paths>;
  readonly answers: Answers;
  readonly folders: Folders;
  readonly chats: Chats;
  readonly keys: Keys;
  readonly people: People;
  readonly metadata: Metadata;
  readonly webhooks: Webhooks;
  readonly session: BrowserSession;
  readonly model: ModelSettings;
  private readonly url: string;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly tokens: Tokens | null;
  private readonly policy: RetryPolicy;
  /** Options of POST requests that only read, and are therefore safe to retry. */
  private readonly reading: Sending;

  constructor(private readonly options: LecternClientOptions) {
    const { url, key, token, retry = {} } = options;
    this.url = url.replace(/\/+$/, '');
    this.headers = key === undefined ? STRICT : { ...STRICT, ...bearer(key) };
    this.tokens = token === undefined ? null : new Tokens(token);
    this.policy = { ...DEFAULT_RETRIES, ...retry };
    this.reading = this.sending({ repeatable: true });
    this.raw = createClient<paths>({
      baseUrl: this.url,
      headers: this.headers,
      ...this.sending({ repeatable: false }),
    });
    this.answers = new Answers(this.raw, this.reading.fetch);
    this.folders = new Folders(this.raw);
    this.chats = new Chats(this.raw);
    this.keys = new Keys(this.raw);
    this.people = new People(this.raw);
    this.metadata = new Metadata(this.raw);
    this.webhooks = new Webhooks(this.raw);
    this.session = new BrowserSession(this.raw);
    this.model = new ModelSettings(this.raw);
  }

  /** Ingests a text, once over all retries; it is searchable once `wait` returns. */
  ingestText(
    document: IngestTextRequest,
    { idempotencyKey = randomKey(), ...options }: WriteOptions = {},
  ): Promise<DocumentRecord> {
    const params = { header: { 'Idempotency-Key': idempotencyKey } };
    return answered(this.raw.POST('/ingest/text', { body: document, params, ...options }));
  }

  /**
   * Ingests a file, once over all retries; it is searchable once `wait` returns. A stream is sent once, without retries;
   * in browsers, pass the Blob.
   * @throws TypeError for a file without a name
   */
  ingestFile(file: Blob | FileStream, options: IngestFileOptions = {}): Promise<DocumentRecord> {
    const { folder_name, end_user_id, rules } = options;
    return this.upload('/ingest/file', file, options, { folder_name, end_user_id, rules });
  }

  /** Replaces a document's content with a file, or appends it, once over all retries. @throws TypeError for a Blob without a name */
  updateFile(documentId: string, file: Blob, options: UpdateFileOptions = {}): Promise<DocumentRecord> {
    const { update_strategy } = options;
    const path = `/documents/${encodeURIComponent(documentId)}/update_file`;
    return this.upload(path, file, options, { update_strategy });
  }

  get(documentId: string, options: CallOptions = {}): Promise<DocumentRecord> {
    return answered(this.raw.GET('/documents/{document_id}', { ...at(documentId), ...options }));
  }

  status(documentId: string, options: CallOptions = {}): Promise<DocumentStatus> {
    return answered(this.raw.GET('/documents/{document_id}/status', { ...at(documentId), ...options }));
  }

  /**
   * Waits until a document is processed. For a deadline pass `AbortSignal.timeout(ms)` as `signal`.
   *
   * @throws IngestionError if processing failed
   */
  async wait(
    documentId: string,
    { signal, onStatus, seconds = WAIT_SECONDS }: WaitOptions = {},
  ): Promise<DocumentStatus> {
    const params = { ...at(documentId).params, query: { wait: seconds } };
    for (;;) {
      const asked = Date.now();
      const status = await answered(
        this.raw.GET('/documents/{document_id}/status', { params, ...given({ signal }) }),
      );
      onStatus?.(status);
      // During an update a document stays `completed`, but its status has `progress`.
      if (status.status !== 'processing' && status.progress === undefined) {
        if (status.status === 'failed' || status.error !== undefined) {
          throw new IngestionError(documentId, status.error ?? 'no reason given');
        }
        return status;
      }
      if (Date.now() - asked < POLL_MS) await pause(POLL_MS, signal);
    }
  }

  /** The best chunks for a query. */
  retrieve(request: RetrieveChunksRequest, options: CallOptions = {}): Promise<Chunk[]> {
    return answered(this.raw.POST('/retrieve/chunks', { body: request, ...this.reading, ...options }));
  }

  /** The best chunks for a query, each with its neighbours. */
  retrieveGrouped(request: RetrieveChunksRequest, options: CallOptions = {}): Promise<GroupedChunks> {
    return answered(
      this.raw.POST('/retrieve/chunks/grouped', { body: request, ...this.reading, ...options }),
    );
  }

  /** The best chunk of each matching document. */
  retrieveDocs(request: RetrieveRequest, options: CallOptions = {}): Promise<DocumentResult[]> {
    return answered(this.raw.POST('/retrieve/docs', { body: request, ...this.reading, ...options }));
  }

  /** Returns chunks by document and number, in the order of the request. Omits unknown chunks. */
  chunks(request: BatchChunksRequest, options: CallOptions = {}): Promise<Chunk[]> {
    return answered(this.raw.POST('/batch/chunks', { body: request, ...this.reading, ...options }));
  }

  /** Answers a question with its sources. */
  async query(request: QueryRequest, options: CallOptions = {}): Promise<Completion> {
    const body = { ...request, stream_response: false };
    const answer = this.raw.POST('/query', { body, ...this.querying(request), ...options });
    // The route has two response formats. The request body selects this one.
    return (await answered(answer)) as Completion;
  }

  /**
   * Streams an answer: `assistant` events with pieces of the text, then a `done` event with sources, metadata and
   * usage. Leaving the loop or aborting cancels the work at the service.
   *
   * With `answer_id` the answer goes on at the service when the connection ends, and the stream goes on by itself after an
   * interruption of at most a minute. `answers.stop` cancels the work then.
   *
   * @throws LecternError; AnswerStopped
   */
  async *queryStream(
    request: QueryRequest,
    { signal, onRetry }: StreamOptions = {},
  ): AsyncGenerator<CompletionEvent, void, undefined> {
    const { answer_id: answerId, end_user_id, groups } = request;
    const ask = async (): Promise<Response> => {
      const { response, error } = await this.raw.POST('/query', {
        body: { ...request, stream_response: true },
        parseAs: 'stream',
        ...this.querying(request, onRetry),
        ...given({ signal }),
      });
      if (!response.ok) throw LecternError.of(response, error);
      return response;
    };
    if (answerId === undefined || answerId === null) {
      yield* completionEvents(await ask(), signal);
      return;
    }
    const asker = given({ signal, end_user_id: end_user_id ?? undefined, groups: groups ?? undefined });
    const resume = (last: string | undefined): Promise<Response> =>
      resumedAnswer(this.raw, answerId, last, asker);
    yield* lastingEvents({ ask, resume }, given({ signal, onRetry }));
  }

  /**
   * Streams what happens to the documents that the key may read: ingestion with its progress, updates and deletions.
   * Begins with `stream.ready`, goes on by itself after an interruption, and ends when `signal` aborts. After
   * `stream.reset` events may be missing: list the documents anew.
   *
   * @throws LecternError when the key has ended
   */
  events({ signal, lastEventId, onInterruption, ...query }: EventOptions = {}): AsyncGenerator<
    StreamEvent,
    void,
    undefined
  > {
    return documentEvents(
      async (last) => {
        const header = given({ 'Last-Event-ID': last });
        const options = { params: { query, header }, parseAs: 'stream' as const, ...given({ signal }) };
        return (await this.raw.GET('/events', options)).response;
      },
      { signal, after: lastEventId, onInterruption },
    );
  }

  /** Appends to a document's text or replaces it. Safe to retry: every call has an `Idempotency-Key`. */
  updateText(
    documentId: string,
    update: UpdateTextRequest,
    { strategy, idempotencyKey = randomKey(), signal }: UpdateTextOptions = {},
  ): Promise<DocumentRecord> {
    return answered(
      this.raw.POST('/documents/{document_id}/update_text', {
        params: {
          path: { document_id: documentId },
          query: given({ update_strategy: strategy }),
          header: { 'Idempotency-Key': idempotencyKey },
        },
        body: update,
        ...given({ signal }),
      }),
    );
  }

  /** Adds metadata to a document. Replaces the values of existing keys. */
  updateMetadata(
    documentId: string,
    metadata: Readonly<Record<string, unknown>>,
    { types, ...options }: CallOptions & { readonly types?: Readonly<Record<string, string>> } = {},
  ): Promise<DocumentRecord> {
    const body = { metadata, ...given({ metadata_types: types }) };
    return answered(
      this.raw.POST('/documents/{document_id}/update_metadata', { ...at(documentId), body, ...options }),
    );
  }

  /** Renames a document. Its passages have the new name once `wait` returns. */
  rename(documentId: string, filename: string, options: CallOptions = {}): Promise<DocumentRecord> {
    return answered(
      this.raw.PATCH('/documents/{document_id}', { ...at(documentId), body: { filename }, ...options }),
    );
  }

  /**
   * Changes who may read and change a document besides its owner. Lists that are left out stay. null: the lists of the
   * folder count.
   */
  changeAccess(
    documentId: string,
    lists: Partial<AccessLists> | null,
    options: CallOptions = {},
  ): Promise<DocumentRecord> {
    return answered(
      this.raw.PATCH('/documents/{document_id}', {
        ...at(documentId),
        body: { access_control: lists },
        ...options,
      }),
    );
  }

  /** Shares a document of an end user with everyone in the tenant. The end user cannot undo this. */
  share(documentId: string, options: CallOptions = {}): Promise<DocumentRecord> {
    return answered(
      this.raw.PATCH('/documents/{document_id}', {
        ...at(documentId),
        body: { end_user_id: null },
        ...options,
      }),
    );
  }

  /** Makes a document private to an end user. @throws LecternError 403 for the key of another end user */
  assign(documentId: string, endUserId: string, options: CallOptions = {}): Promise<DocumentRecord> {
    return answered(
      this.raw.PATCH('/documents/{document_id}', {
        ...at(documentId),
        body: { end_user_id: endUserId },
        ...options,
      }),
    );
  }

  /** Deletes a document with its chunks, vectors and files. */
  delete(documentId: string, options: CallOptions = {}): Promise<Success> {
    return answered(this.raw.DELETE('/documents/{document_id}', { ...at(documentId), ...options }));
  }

  /** Deletes documents. The result lists the documents that are unknown or that the key may not change. */
  deleteAll(documentIds: readonly string[], options: CallOptions = {}): Promise<DeletedDocuments> {
    const body = { document_ids: [...documentIds] };
    return answered(this.raw.POST('/documents/delete', { body, ...options }));
  }

  /** Ingests documents again. A failed document continues where it failed. */
  requeue(documentIds: readonly string[], options: CallOptions = {}): Promise<RequeueResponse> {
    const body = { jobs: documentIds.map((id) => ({ external_id: id })) };
    return answered(this.raw.POST('/ingest/requeue', { body, ...options }));
  }

  /**
   * The full text of a document; null while the document has no text.
   * @throws LecternError 404 for an unknown document
   */
  async text(documentId: string, options: CallOptions = {}): Promise<string | null> {
    const body = {
      document_filters: { external_id: documentId },
      fields: ['system_metadata.content'],
      limit: 1,
    };
    const listing = await answered(this.raw.POST('/documents', { body, ...this.reading, ...options }));
    const [document] = listing.documents;
    if (document === undefined) throw new LecternError(404, 'Document not found');
    const content = document.system_metadata?.['content'];
    return typeof content === 'string' ? content : null;
  }

  /** Download URL of a document's file. @throws LecternError 404 if the document has no file */
  downloadUrl(documentId: string, options: CallOptions = {}): Promise<DownloadUrl> {
    return answered(this.raw.GET('/documents/{document_id}/download_url', { ...at(documentId), ...options }));
  }

  /** A page of a PDF, picture or, where the service has LibreOffice, office document as PNG. @throws LecternError 404 for a page that does not exist */
  pageImage(documentId: string, page: number, options: CallOptions = {}): Promise<Blob> {
    const image = this.raw.GET('/documents/{document_id}/pages/{page_number}/image', {
      params: { path: { document_id: documentId, page_number: page } },
      parseAs: 'blob',
      ...options,
    });
    return answered(image);
  }

  /**
   * The places of a text on a page, one for each line; with `anywhere` on the page that has most of it.
   * @throws LecternError 404 for a page that does not exist
   */
  places(
    documentId: string,
    page: number,
    text: string,
    { anywhere = false, ...options }: CallOptions & { readonly anywhere?: boolean } = {},
  ): Promise<PagePlaces> {
    return answered(
      this.raw.POST('/documents/{document_id}/pages/{page_number}/places', {
        params: { path: { document_id: documentId, page_number: page } },
        body: { text, ...(anywhere && { anywhere }) },
        ...this.reading,
        ...options,
      }),
    );
  }

  /** Page images of a document ingested with `use_colpali`, at most 100 per call. */
  pageImages(request: PagesRequest, options: CallOptions = {}): Promise<DocumentPages> {
    return answered(this.raw.POST('/documents/pages', { body: request, ...this.reading, ...options }));
  }

  /** Documents by part of their file name, best first. */
  searchDocuments(request: SearchDocumentsRequest, options: CallOptions = {}): Promise<DocumentRecord[]> {
    return answered(this.raw.POST('/search/documents', { body: request, ...this.reading, ...options }));
  }

  /** One page of the list of documents, with the requested counts. */
  listing({
    folder_name,
    folder_depth,
    end_user_id,
    signal,
    ...body
  }: WindowOptions = {}): Promise<DocumentPage> {
    const params = { query: given({ folder_name, folder_depth, end_user_id }) };
    return answered(this.raw.POST('/documents', { params, body, ...this.reading, ...given({ signal }) }));
  }

  /** All documents. Requests the next page of the list when the loop needs it. */
  async *list(options: ListOptions = {}): AsyncGenerator<ListedDocument, void, undefined> {
    for await (const { documents } of this.pages(options)) yield* documents;
  }

  /**
   * Pages of the list of documents. The oldest documents come first by default, so that new documents do not shift the
   * pages.
   */
  async *pages({
    pageSize = PAGE_SIZE,
    folder_name,
    folder_depth,
    end_user_id,
    signal,
    ...listing
  }: ListOptions = {}): AsyncGenerator<DocumentPage, void, undefined> {
    const order = { sort_by: 'created_at', sort_direction: 'asc' } as const;
    let skip: number | null = 0;
    while (skip !== null) {
      const page: DocumentPage = await answered(
        this.raw.POST('/documents', {
          params: { query: given({ folder_name, folder_depth, end_user_id }) },
          body: { ...order, ...listing, skip, limit: pageSize },
          ...this.reading,
          ...given({ signal }),
        }),
      );
      yield page;
      skip = page.next_skip;
    }
  }

  /** Suggested questions, made from titles and headings of the newest documents. */
  async suggestions({
    signal,
    ...query
  }: CallOptions & {
    readonly folder_name?: string[];
    readonly folder_depth?: number;
    readonly limit?: number;
  } = {}): Promise<string[]> {
    const answer = this.raw.GET('/suggestions', { params: { query }, ...given({ signal }) });
    return (await answered(answer)).questions;
  }

  /** Ingests the example documents of the service, except those already ingested. */
  loadDemo(options: CallOptions = {}): Promise<DocumentRecord[]> {
    return answered(this.raw.POST('/ingest/demo', { ...options }));
  }

  /** Known models, and the defaults. */
  models(options: CallOptions = {}): Promise<Models> {
    return answered(this.raw.GET('/models', { ...options }));
  }

  /**
   * Health of all components. With an admin key of the default tenant, also whether the embedding model knows the
   * vocabulary of the newest documents.
   */
  health(options: CallOptions = {}): Promise<Health> {
    return answered(this.raw.GET('/health', { ...options }));
  }

  /**
   * Options of a query. A query of a chat is retried only with its place in the chat, because otherwise a retry could add
   * the turn twice.
   */
  private querying({ chat_id, replace_from }: QueryRequest, onRetry?: StreamOptions['onRetry']): Sending {
    const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
    return this.sending({ repeatable: !isGiven(chat_id) || isGiven(replace_from), onRetry });
  }

  private sending(attempts: Parameters<typeof retryingFetch>[2]): Sending {
    const { fetch = (request: Request) => globalThis.fetch(request) } = this.options;
    const send = retryingFetch(fetch, this.policy, attempts);
    const { tokens } = this;
    if (tokens === null) return { fetch: send };
    return { fetch: (request) => tokens.send((token) => send(withToken(request, token))) };
  }

  private async upload(
    path: string,
    file: Blob | FileStream,
    { idempotencyKey = randomKey(), signal, onProgress, filename, ...described }: FileOptions,
    others: Readonly<Record<string, unknown>>,
  ): Promise<DocumentRecord> {
    const name = filename ?? (isStream(file) ? undefined : nameOf(file));
    if (name === undefined)
      throw new TypeError('filename is needed for a Blob without a name and for a stream');
    const { metadata, metadata_types, use_colpali } = described;
    const fields = inForm({ metadata, metadata_types, use_colpali, ...others });
    const key = { 'idempotency-key': idempotencyKey };
    if (isStream(file)) {
      const form = { url: this.url + path, fields, filename: name, file, signal, onProgress };
      return this.uploadStream(form, key);
    }
    const form = new FormData();
    for (const [field, value] of Object.entries(fields)) form.append(field, value);
    form.append('file', file, name);
    const sent = { url: this.url + path, form, size: file.size, signal, onProgress };
    const send = (headers: Upload['headers']): Promise<Response> =>
      withRetries(() => sendForm({ ...sent, headers }, this.options.fetch), {
        ...this.policy,
        repeatable: true,
        ...given({ signal }),
      });
    const response = await this.authorised(send, key);
    if (!response.ok) throw LecternError.of(response, bodyOf(await response.text()));
    return (await response.json()) as DocumentRecord;
  }

  private async uploadStream(
    form: Omit<StreamForm, 'headers'>,
    more: Upload['headers'],
  ): Promise<DocumentRecord> {
    const { fetch = (request: Request) => globalThis.fetch(request) } = this.options;
    let isSent = false;
    const response = await this.authorised((headers) => {
      if (isSent) throw new TypeError('a stream cannot be sent again with a new token: pass a new stream');
      isSent = true;
      return fetch(streamFormRequest({ ...form, headers }));
    }, more);
    if (!response.ok) throw LecternError.of(response, bodyOf(await response.text()));
    return (await response.json()) as DocumentRecord;
  }

  /** Sends a request with the key, or with a token of the application. */
  private authorised(
    send: (headers: Upload['headers']) => Promise<Response>,
    more: Upload['headers'],
  ): Promise<Response> {
    const withKey = send.bind(null, { ...this.headers, ...more });
    return this.tokens?.send((token) => send({ ...STRICT, ...bearer(token), ...more })) ?? withKey();
  }
}

/** Makes the service refuse members that it does not know. */
const STRICT = { prefer: 'handling=strict' } as const;

interface Sending {
  readonly fetch: (request: Request) => Promise<Response>;
}

/** The fields of a form as text. */
function inForm(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    present.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key.trim()}` };
}

function withToken(request: Request, token: string): Request {
  const copy = request.clone();
  for (const [name, value] of Object.entries(bearer(token))) copy.headers.set(name, value);
  return copy;
}

function at(documentId: string): { readonly params: { readonly path: { document_id: string } } } {
  return { params: { path: { document_id: documentId } } };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops undefined members, because with exactOptionalPropertyTypes they differ from absent members. */
function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Given<T>;
}

function nameOf(file: Blob): string | undefined {
  return 'name' in file && typeof file.name === 'string' ? file.name : undefined;
}

/** Parsed JSON, or the text: the response may come from a proxy. */
function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
