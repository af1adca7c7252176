import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { Inject, Injectable } from '@nestjs/common';
import type { Permission, Scope } from '../auth/scope.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { IngestTextRequest } from '../documents/ingest/ingest.dto.js';
import { IngestService } from '../documents/ingest/ingest.service.js';
import { ListService } from '../documents/listing/list.service.js';
import { PagesService } from '../documents/pages/pages.service.js';
import { NotFound } from '../errors/index.js';
import { printJson } from '../json/exact-json.js';
import { readInput, type Type } from '../http/input/input.pipe.js';
import { QueryDto, toQueryRequest } from '../query/query.dto.js';
import { QueryService } from '../query/query.service.js';
import { withPages } from '../retrieval/present.js';
import { RetrieveDto, toRetrieveRequest } from '../retrieval/retrieve.dto.js';
import { RetrievalService } from '../retrieval/retrieval.service.js';
import type { RetrievedChunk } from '../retrieval/retrieval.types.js';
import { ListInput, ReadDocumentInput, ReadPageInput } from './mcp-inputs.dto.js';

/** Scopes of the browser tokens that reach a tool. */
export const TOOL_USES = ['read', 'query', 'chunks', 'page_images', 'documents', 'ingest'] as const;

export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly permission: Permission;
  /** Scope of the browser tokens that may call the tool. */
  readonly use: (typeof TOOL_USES)[number];
  /** JSON Schema of the arguments. */
  readonly inputSchema: { readonly type: 'object'; readonly [key: string]: unknown };
  readonly readOnly: boolean;
  readonly run: (scope: Scope, input: unknown) => Promise<CallToolResult>;
}

const GROUPS = {
  type: 'array',
  items: { type: 'string' },
  description:
    'Groups of the end user for whom an application asks: reads and changes what the end user, these groups and everyone may.',
};
/** For whom an application acts. Every tool takes both. */
const ACTING = {
  end_user_id: { type: 'string', description: 'With groups: the end user for whom an application asks.' },
  groups: GROUPS,
};
const SCOPE = {
  folder_name: { type: 'string', description: 'Folder to search, such as /manuals.' },
  folder_depth: { type: 'integer', description: '0: the folder only; -1: all subfolders.' },
  filters: { type: 'object', description: 'Metadata filter in the MongoDB query language.' },
  end_user_id: { type: 'string', description: 'Restricts the search to documents of this end user.' },
  groups: GROUPS,
};
const QUERY = { type: 'string', description: 'The question, as a sentence.' };
const DOCUMENT_ID = { type: 'string', description: 'Document id, as returned by search.' };

/**
 * The tools of the MCP server. They search, answer questions, and read, list and add documents. Arguments are validated
 * like those of the REST API.
 */
@Injectable()
export class McpTools {
  readonly all: readonly McpTool[] = [
    {
      name: 'search',
      description: 'Finds passages relevant to a question, best first.',
      permission: 'read',
      use: 'read',
      readOnly: true,
      inputSchema: objectOf(
        {
          query: QUERY,
          k: { type: 'integer', description: 'Maximum number of passages. Default: 4.' },
          ...SCOPE,
        },
        'query',
      ),
      run: (scope, input) => this.search(scope, input),
    },
    {
      name: 'ask',
      description: 'Answers a question from the documents, with citations.',
      permission: 'query',
      use: 'query',
      readOnly: true,
      inputSchema: objectOf({ query: QUERY, ...SCOPE }, 'query'),
      run: (scope, input) => this.ask(scope, input),
    },
    {
      name: 'read_document',
      description: 'Returns the text of a document, or a part of it.',
      permission: 'read',
      use: 'chunks',
      readOnly: true,
      inputSchema: objectOf(
        {
          document_id: DOCUMENT_ID,
          start: { type: 'integer', description: 'Number of characters to skip.' },
          length: { type: 'integer', description: 'Maximum number of characters. Default: 20,000.' },
          ...ACTING,
        },
        'document_id',
      ),
      run: (scope, input) => this.readDocument(scope, input),
    },
    {
      name: 'read_page',
      description: 'Returns the image of a page of a document that was ingested with use_colpali.',
      permission: 'read',
      use: 'page_images',
      readOnly: true,
      inputSchema: objectOf(
        {
          document_id: DOCUMENT_ID,
          page: { type: 'integer', description: 'Page number, 1-based.' },
          ...ACTING,
        },
        'document_id',
        'page',
      ),
      run: (scope, input) => this.readPage(scope, input),
    },
    {
      name: 'list_documents',
      description: 'Lists documents, newest first.',
      permission: 'read',
      use: 'documents',
      readOnly: true,
      inputSchema: objectOf({
        ...SCOPE,
        skip: { type: 'integer', description: 'Number of documents to skip.' },
        limit: { type: 'integer', description: 'Maximum number of documents. Default: 20.' },
      }),
      run: (scope, input) => this.list(scope, input),
    },
    {
      name: 'add_document',
      description: 'Stores a text as a document. It is searchable once it is processed.',
      permission: 'write',
      use: 'ingest',
      readOnly: false,
      inputSchema: objectOf(
        {
          content: { type: 'string', description: 'The text.' },
          filename: { type: 'string', description: 'File name.' },
          metadata: { type: 'object', description: 'Metadata to filter by.' },
          folder_name: { type: 'string', description: 'Folder path.' },
          end_user_id: { type: 'string', description: 'The end user to whom the document belongs.' },
          groups: GROUPS,
        },
        'content',
      ),
      run: (scope, input) => this.add(scope, input),
    },
  ];

  constructor(
    private readonly retrieval: RetrievalService,
    private readonly queries: QueryService,
    private readonly lists: ListService,
    private readonly pages: PagesService,
    private readonly ingestion: IngestService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  private async search(scope: Scope, input: unknown): Promise<CallToolResult> {
    const request = toRetrieveRequest(this.read(RetrieveDto, input));
    const { chunks } = await this.retrieval.retrieve(scope, { ...request, outputFormat: 'text' });
    return textResult(chunks.length === 0 ? 'No passages found.' : chunks.map(passage).join('\n\n---\n\n'));
  }

  private async ask(scope: Scope, input: unknown): Promise<CallToolResult> {
    const dto = this.read(QueryDto, input);
    const { completion, sources } = await this.queries.complete(scope, toQueryRequest(dto));
    const lines = sources.map(({ document_id: id, chunk_number: number }) => `- ${id}, chunk ${number}`);
    const answer = typeof completion === 'string' ? completion : printJson(completion);
    return textResult(
      [answer, ...(lines.length === 0 ? [] : [`Sources:\n${lines.join('\n')}`])].join('\n\n'),
    );
  }

  private async readDocument(scope: Scope, input: unknown): Promise<CallToolResult> {
    const { document_id: id, start, length } = this.read(ReadDocumentInput, input);
    const fields = ['filename', 'system_metadata.content'];
    const { documents } = await this.lists.list(scope, { limit: 1, fields }, { documentIds: [id] });
    const [document] = documents;
    if (document === undefined) throw new NotFound('Document not found');
    const content = document.system_metadata?.['content'] as string;
    const end = Math.min(content.length, start + length);
    const rest = end < content.length ? `\n\n[characters ${start} to ${end} of ${content.length}]` : '';
    return textResult(content.slice(start, end) + rest);
  }

  private async readPage(scope: Scope, input: unknown): Promise<CallToolResult> {
    const { document_id: id, page } = this.read(ReadPageInput, input);
    const { pages } = await this.pages.images(scope, id, { first: page, last: page }, 'base64');
    const [, data = ''] = (pages[0] ?? '').split(',', 2);
    return { content: [{ type: 'image', data, mimeType: 'image/png' }] };
  }

  private async list(scope: Scope, input: unknown): Promise<CallToolResult> {
    const { filters, skip, limit, ...given } = this.read(ListInput, input);
    const { folder_name: folders, folder_depth: folderDepth, end_user_id: endUserId } = given;
    const fields = [
      'filename',
      'folder_path',
      'metadata',
      'system_metadata.status',
      'system_metadata.updated_at',
    ];
    const { documents, has_more: more } = await this.lists.list(
      scope,
      { document_filters: filters, skip, limit, fields },
      { folders, folderDepth: folderDepth ?? 0, endUserId },
    );
    return textResult(printJson({ documents, has_more: more }, 1));
  }

  private async add(scope: Scope, input: unknown): Promise<CallToolResult> {
    const request = this.read(IngestTextRequest, input);
    const { external_id: id } = await this.ingestion.ingestText(scope, request);
    return textResult(`Stored as ${id}; it is being processed.`);
  }

  private read<T extends object>(type: Type<T>, input: unknown): T {
    return readInput(type, input, ['arguments'], this.settings);
  }
}

function objectOf(properties: object, ...required: string[]): McpTool['inputSchema'] {
  return { type: 'object', properties, required };
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function passage(chunk: RetrievedChunk): string {
  const { filename, documentId, chunkNumber, score, content } = chunk;
  return `${withPages(filename ?? 'without a name', chunk)} (document ${documentId}, chunk ${chunkNumber}, score ${score.toFixed(2)})\n${content}`;
}
