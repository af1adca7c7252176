import type {
  CallOptions,
  Chunk,
  Completion as Answer,
  LecternClient,
  ListedDocument,
  ListOptions,
  QueryRequest,
} from '@lectern/client';
import type { Completion, Passage, QuestionScope } from '@lectern/evaluation';
import { clientOf, reach, type ServiceAddress } from '../service.js';

/** A document with the names that a question may use. */
export interface NamedDocument {
  readonly id: string;
  readonly filename: string | null;
  /** Path recorded by `lectern ingest`. */
  readonly sourcePath: string | null;
  /** Number of pages. 0: the format has no pages; null: the ingestion is not complete. */
  readonly pageCount: number | null;
}

export interface FoundPassage extends Passage {
  readonly filename: string | null;
  readonly score: number;
}

export interface Timed<T> {
  readonly value: T;
  readonly ms: number;
}

/** Number of names per listing request, and of documents per page of the listing. */
const NAMES_AT_ONCE = 200;
const PAGE = 1_000;

/** The service under test: its documents, retrieval and answers. */
export class ServiceUnderTest {
  private readonly call: CallOptions;

  /** @param signal aborts requests and delays between retries */
  constructor(
    private readonly address: ServiceAddress,
    signal: AbortSignal,
  ) {
    this.call = { signal };
  }

  /** @throws Error if the service is unreachable. */
  reach(): Promise<void> {
    return reach(this.address.url);
  }

  /** All documents whose id, file name or source path is one of the names. */
  async documentsCalled(names: readonly string[]): Promise<NamedDocument[]> {
    const documents: NamedDocument[] = [];
    for (let start = 0; start < names.length; start += NAMES_AT_ONCE) {
      const some = { $in: names.slice(start, start + NAMES_AT_ONCE) };
      const request = {
        document_filters: { $or: [{ external_id: some }, { filename: some }, { source_path: some }] },
        fields: [
          'external_id',
          'filename',
          'metadata',
          'system_metadata.status',
          'system_metadata.page_count',
        ],
      };
      for await (const document of this.list(request)) documents.push(namedDocument(document));
    }
    return documents;
  }

  async completedDocuments(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { external_id: id } of this.list({ completed_only: true, fields: ['external_id'] })) {
      ids.push(id);
    }
    return ids;
  }

  async retrieve(query: string, k: number, scope: QuestionScope): Promise<Timed<FoundPassage[]>> {
    const request = { query, k, ...requestOf(scope) };
    const { value, ms } = await this.timed((client) => client.retrieve(request, this.call));
    return { value: value.map(foundPassage), ms };
  }

  async complete(query: string, scope: QuestionScope): Promise<Timed<Completion>> {
    const request = { query, inline_citations: true, ...requestOf(scope) };
    const { value, ms } = await this.timed((client) => client.query(request, this.call));
    return { value: completionOf(value), ms };
  }

  /** Sends a query that has its own prompt to POST /query, and returns the completion. */
  async completion(request: QueryRequest): Promise<Answer['completion']> {
    return (await clientOf(this.address).query(request, this.call)).completion;
  }

  async model(): Promise<string> {
    return (await clientOf(this.address).models(this.call)).default_models.chat;
  }

  /** Runs a request. @returns its result and the duration of its last attempt in milliseconds */
  private async timed<T>(work: (client: LecternClient) => Promise<T>): Promise<Timed<T>> {
    let begun = 0;
    const client = clientOf(this.address, () => {
      begun = performance.now();
    });
    const value = await work(client);
    return { value, ms: performance.now() - begun };
  }

  private list(request: ListOptions): AsyncGenerator<ListedDocument> {
    return clientOf(this.address).list({ ...request, ...this.call, pageSize: PAGE, sort_by: 'external_id' });
  }
}

/** Converts the scope to request fields. The service validates the filter. */
function requestOf({ filters, folder_name: folders, ...scope }: QuestionScope) {
  return {
    ...scope,
    ...(filters === undefined ? {} : { filters: { ...filters } }),
    ...(folders === undefined ? {} : { folder_name: [folders].flat() }),
  };
}

function namedDocument({
  external_id: id,
  filename,
  metadata,
  system_metadata: system,
}: ListedDocument): NamedDocument {
  const path = metadata?.['source_path'];
  const pages = system?.['page_count'];
  return {
    id,
    filename: filename ?? null,
    sourcePath: typeof path === 'string' ? path : null,
    pageCount: system?.['status'] !== 'completed' ? null : typeof pages === 'number' ? pages : 0,
  };
}

function foundPassage({
  document_id,
  chunk_number,
  content,
  filename,
  score,
  metadata,
}: Chunk): FoundPassage {
  return {
    documentId: document_id,
    chunkNumber: chunk_number,
    content: metadata['is_image'] === true && content.startsWith('data:') ? '' : content,
    page: pageOf(metadata['page_number']),
    filename,
    score,
  };
}

function pageOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

interface CitedPassage {
  readonly start: number;
  readonly end: number;
  readonly document_id: string;
  readonly chunk_number: number;
  readonly page_number: number | null;
  readonly quote: string | null;
}

function completionOf({ completion, metadata }: Answer): Completion {
  const cited = (metadata?.citations ?? []) as unknown as readonly CitedPassage[];
  const citations = cited.map((citation) => ({
    start: citation.start,
    end: citation.end,
    documentId: citation.document_id,
    chunkNumber: citation.chunk_number,
    page: citation.page_number,
    content: citation.quote ?? '',
  }));
  return { text: typeof completion === 'string' ? completion : JSON.stringify(completion), citations };
}
