import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../auth/scope.js';
import { Invalid } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { CurrentScope } from '../http/current-scope.decorator.js';
import { IntegerField, TextField } from '../http/input/fields.js';
import { SelectionQuery, selectionOf } from '../retrieval/selection-fields.dto.js';
import { Route } from '../http/route.decorator.js';
import { SuccessDto } from '../http/error.dto.js';
import { listsInWords } from './access-control.js';
import { PageViews } from './pages/page-views.js';
import { recordOf, statusRecordOf } from './document-record.js';
import { DeletedDocumentsDto, DeleteDocumentsRequest, DocumentRemoval } from './document-removal.js';
import { DocumentDto, DocumentStatusDto } from './document.dto.js';
import { DocumentService } from './document.service.js';
import {
  BatchDocumentsRequest,
  DocumentListDto,
  ListDocumentsRequest,
  SearchDocumentsRequest,
} from './listing/list.dto.js';
import { ListService } from './listing/list.service.js';
import { ChangeDocumentRequest, ChangeDocumentService } from './update/change-document.service.js';
import { eachHundredIn, eachIn } from '../http/bundled-calls.js';

export class FilenamePath {
  @TextField({
    required: true,
    description: 'Name of the document.',
    example: 'greenhouse-controller-manual.md',
  })
  filename: string;
}

/** Maximum number of results of a search that gives no `limit`. */
const DEFAULT_LIMIT = 10;

/** Maximum wait. It is shorter than the usual timeout of proxies. */
const LONGEST_WAIT_SECONDS = 60;

export class StatusQuery {
  @IntegerField({
    inText: true,
    min: 0,
    max: LONGEST_WAIT_SECONDS,
    description: 'Maximum number of seconds to wait while the document is `processing`.',
    openapi: { default: 0 },
  })
  wait = 0;
}

const LIST = {
  permission: 'read',
  token: 'documents',
  summary: 'List documents',
  description: 'Lists documents, with optional counts and field selection.',
} as const;

@ApiTags('documents')
@Controller()
export class DocumentsController {
  constructor(
    private readonly documents: DocumentService,
    private readonly lists: ListService,
    private readonly removal: DocumentRemoval,
    private readonly changes: ChangeDocumentService,
    private readonly views: PageViews,
  ) {}

  @Post('documents')
  @Route({ operationId: 'listDocuments', ...LIST })
  @ApiOkResponse({ type: DocumentListDto })
  list(
    @CurrentScope() scope: Scope,
    @Body() body: ListDocumentsRequest,
    @Query() query: SelectionQuery,
  ): Promise<DocumentListDto> {
    return this.lists.list(scope, body, selectionIn(body, query));
  }

  @Post('documents/list_docs')
  @Route({
    operationId: 'listDocs',
    ...LIST,
    summary: 'List documents (alias)',
    description: 'Same as POST /documents.',
  })
  @ApiOkResponse({ type: DocumentListDto })
  listDocs(
    @CurrentScope() scope: Scope,
    @Body() body: ListDocumentsRequest,
    @Query() query: SelectionQuery,
  ): Promise<DocumentListDto> {
    return this.lists.list(scope, body, selectionIn(body, query));
  }

  @Post('documents/delete')
  @Route({
    operationId: 'deleteDocuments',
    permission: 'write',
    summary: 'Delete several documents',
    calls: eachIn('document_ids'),
    description:
      'Deletes each document with its text, chunks, vectors, jobs and files. Reports documents that are unknown or that the key may not change.',
    audit: { action: 'documents.delete', subject: ({ body }) => [body['document_ids']].flat() },
  })
  @ApiOkResponse({ type: DeletedDocumentsDto })
  deleteAll(
    @CurrentScope() scope: Scope,
    @Body() body: DeleteDocumentsRequest,
  ): Promise<DeletedDocumentsDto> {
    return this.removal.deleteAll(scope, body.document_ids);
  }

  @Get('documents/filename/:filename')
  @Route({
    operationId: 'getDocumentByFilename',
    permission: 'read',
    token: 'documents',
    summary: 'Get the newest document with a file name',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: DocumentDto })
  async byFilename(
    @CurrentScope() scope: Scope,
    @Param() { filename }: FilenamePath,
    @Query() query: SelectionQuery,
  ): Promise<DocumentDto> {
    return recordOf(scope, await this.documents.getByFilename(scope, selectionOf(query), filename));
  }

  @Get('documents/:document_id')
  @Route({
    operationId: 'getDocument',
    permission: 'read',
    token: 'documents',
    summary: 'Get a document',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: DocumentDto })
  async get(@CurrentScope() scope: Scope, @Param('document_id') documentId: string): Promise<DocumentDto> {
    const row = await this.documents.get(scope, documentId);
    const record = recordOf(scope, row);
    Object.assign(record.system_metadata, await this.views.shown(row));
    return record;
  }

  @Get('documents/:document_id/status')
  @Route({
    operationId: 'getDocumentStatus',
    permission: 'read',
    token: 'status',
    summary: 'Get document status',
    description: 'With `wait`, responds once the document is no longer `processing`.',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: DocumentStatusDto })
  async status(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Query() { wait }: StatusQuery,
  ): Promise<DocumentStatusDto> {
    return statusRecordOf(await this.documents.getSettled(scope, documentId, wait));
  }

  @Patch('documents/:document_id')
  @Route({
    operationId: 'changeDocument',
    permission: 'write',
    summary: 'Rename or share a document',
    description:
      'Changes the file name, the end user, and who may read and change the document. The text stays searchable while a job changes the title in the contexts of the chunks. `end_user_id: null` shares a document with everyone in the tenant; its former end user cannot undo this.',
    assignsEndUser: true,
    audit: {
      action: 'document.share',
      when: ({ body }) => body['end_user_id'] !== undefined || body['access_control'] !== undefined,
      subject: ({ params, body }) => [
        params['document_id'],
        ...(body['end_user_id'] === undefined ? [] : [body['end_user_id'] ?? 'everyone']),
        listsInWords(body['access_control']),
      ],
    },
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: DocumentDto })
  async change(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Body() body: ChangeDocumentRequest,
  ): Promise<DocumentDto> {
    return recordOf(scope, await this.changes.change(scope, documentId, body));
  }

  @Delete('documents/:document_id')
  @Route({
    operationId: 'deleteDocument',
    permission: 'write',
    summary: 'Delete a document',
    audit: { action: 'document.delete', subject: ({ params }) => [params['document_id']] },
    description: 'Deletes the record with its text, chunks, vectors, jobs and files.',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: SuccessDto })
  async delete(@CurrentScope() scope: Scope, @Param('document_id') documentId: string): Promise<SuccessDto> {
    await this.removal.delete(scope, documentId);
    return { status: 'success', message: `Document ${documentId} deleted` };
  }

  @Post('batch/documents')
  @Route({
    operationId: 'batchGetDocuments',
    permission: 'read',
    token: 'documents',
    summary: 'Get documents by id',
    calls: eachHundredIn('document_ids'),
    description:
      'Returns documents in the requested order. Unknown documents and documents of other tenants are omitted.',
  })
  @ApiOkResponse({ type: DocumentDto, isArray: true })
  batch(@CurrentScope() scope: Scope, @Body() body: BatchDocumentsRequest): Promise<DocumentDto[]> {
    const { document_ids: documentIds, folder_name: folders, end_user_id: endUserId } = body;
    return this.lists.named(scope, documentIds, { folders, endUserId });
  }

  @Post('search/documents')
  @Route({
    operationId: 'searchDocuments',
    permission: 'read',
    token: 'documents',
    summary: 'Search documents by file name',
    description:
      'Returns documents whose file name contains the query or all of its words, best first: equal names, prefix matches, whole-word matches, substring matches, then words in any order.',
  })
  @ApiOkResponse({ type: DocumentDto, isArray: true })
  search(@CurrentScope() scope: Scope, @Body() body: SearchDocumentsRequest): Promise<DocumentDto[]> {
    const { query, filters: filter, folder_name: folders, folder_depth, end_user_id: endUserId } = body;
    const within = { filter, folders, folderDepth: folder_depth ?? 0, endUserId };
    return this.lists.search(scope, query, within, body.limit ?? DEFAULT_LIMIT);
  }
}

/**
 * The folders and the end user that a listing selects, in the body or in the query string.
 * @throws Invalid for a member in both
 */
function selectionIn(body: ListDocumentsRequest, query: SelectionQuery): DocumentSelection {
  for (const name of ['folder_name', 'folder_depth', 'end_user_id'] as const) {
    if (body[name] === null || query[name] === undefined) continue;
    throw Invalid.at(['query', name], `Value error, the body has ${name} too: send it in one of them`);
  }
  const { folders, folderDepth, endUserId } = selectionOf(query);
  return {
    folders: body.folder_name ?? folders,
    folderDepth: body.folder_depth ?? folderDepth,
    endUserId: body.end_user_id ?? endUserId,
  };
}
