import type { Completion, Passage, QuestionScope } from '@lectern/evaluation';
import type { Answer, ServiceConnection } from '../connection/service-connection.js';

/** A document under the names that a question may give it. */
export interface NamedDocument {
  readonly id: string;
  readonly filename: string | null;
  /** Where `lectern ingest` found it. */
  readonly sourcePath: string | null;
  /** 0: it has no pages; null: it is not processed yet, so that nobody knows. */
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

interface ListedDocument {
  readonly external_id: string;
  readonly filename: string | null;
  readonly metadata: { readonly source_path?: unknown };
  readonly system_metadata: { readonly status: string; readonly page_count: number | null };
}

interface Chunk {
  readonly document_id: string;
  readonly chunk_number: number;
  readonly content: string;
  readonly filename: string | null;
  readonly score: number;
  readonly metadata: { readonly page_number?: number; readonly is_image?: boolean };
}

interface CompletionBody {
  readonly completion: string;
  readonly metadata: {
    readonly citations?: readonly {
      readonly start: number;
      readonly end: number;
      readonly document_id: string;
      readonly chunk_number: number;
      readonly page_number: number | null;
      readonly quote: string | null;
    }[];
  };
}

/** Names asked for in one listing, and documents in one page of it. */
const NAMES_AT_ONCE = 200;
const PAGE = 1_000;

/** The REST API as `lectern eval` uses it. */
export class EvaluationClient {
  constructor(private readonly service: ServiceConnection) {}

  /** @throws Error when the service is not there. */
  reach(): Promise<void> {
    return this.service.reach();
  }

  /** Every document that has one of the names as its id, file name or source path. */
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

  /** Ids of all documents that can be searched. */
  async completedDocuments(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { external_id: id } of this.list({ completed_only: true, fields: ['external_id'] })) {
      ids.push(id);
    }
    return ids;
  }

  async retrieve(query: string, k: number, scope: QuestionScope): Promise<Timed<FoundPassage[]>> {
    const { body, ms } = await this.service.post('/retrieve/chunks', { query, k, ...scope });
    return { value: (body as readonly Chunk[]).map(foundPassage), ms };
  }

  async complete(query: string, scope: QuestionScope): Promise<Timed<Completion>> {
    const { body, ms } = await this.service.post('/query', { query, inline_citations: true, ...scope });
    return { value: completionOf(body as CompletionBody), ms };
  }

  private async *list(request: object): AsyncGenerator<ListedDocument> {
    for (let skip: number | null = 0; skip !== null;) {
      const answer: Answer = await this.service.post('/documents', {
        ...request,
        skip,
        limit: PAGE,
        sort_by: 'external_id',
      });
      const page = answer.body as {
        readonly documents: readonly ListedDocument[];
        readonly next_skip: number | null;
      };
      yield* page.documents;
      skip = page.next_skip;
    }
  }
}

function namedDocument({
  external_id: id,
  filename,
  metadata: { source_path: path },
  system_metadata: { status, page_count: pages },
}: ListedDocument): NamedDocument {
  return {
    id,
    filename,
    sourcePath: typeof path === 'string' ? path : null,
    pageCount: status === 'completed' ? (pages ?? 0) : null,
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
    content: metadata.is_image === true && content.startsWith('data:') ? '' : content,
    page: metadata.page_number ?? null,
    filename,
    score,
  };
}

function completionOf({ completion, metadata }: CompletionBody): Completion {
  const citations = (metadata.citations ?? []).map((citation) => ({
    start: citation.start,
    end: citation.end,
    documentId: citation.document_id,
    chunkNumber: citation.chunk_number,
    page: citation.page_number,
    content: citation.quote ?? '',
  }));
  return { text: completion, citations };
}
