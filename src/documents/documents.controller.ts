import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { plainToInstance } from 'class-transformer';
import type { Scope } from '../auth/scope.js';
import { CurrentScope } from '../http/current-scope.decorator.js';
import { Route } from '../http/route.decorator.js';
import { SuccessDto } from '../http/success.dto.js';
import { DeletedDocumentsDto, DeleteDocumentsRequest } from './delete-documents.dto.js';
import { recordOf, statusRecordOf, type DocumentRecord } from './document-record.js';
import { DocumentDto } from './document.dto.js';
import { DocumentService } from './document.service.js';
import {
  FilenamePath,
  ListDocumentsRequest,
  listRequestOf,
  ScopeQuery,
  selectionOf,
  StatusQuery,
} from './listing/list.dto.js';
import { ListService, type DocumentList } from './listing/list.service.js';
import { DocumentListDto, DocumentStatusDto } from './listing/list-response.dto.js';

/** Nothing goes out that the class of an answer does not name. */
const EXPOSED_ONLY = { excludeExtraneousValues: true, exposeUnsetFields: false } as const;

const LIST = {
  permission: 'read',
  summary: 'List documents',
  description: 'A window of the documents in scope, with counts and projection as asked for.',
} as const;

@ApiTags('documents')
@Controller('documents')
export class DocumentsController {
  constructor(
    private readonly documents: DocumentService,
    private readonly lists: ListService,
  ) {}

  @Post()
  @Route(LIST)
  @ApiOkResponse({ type: DocumentListDto })
  list(
    @CurrentScope() scope: Scope,
    @Body() body: ListDocumentsRequest,
    @Query() query: ScopeQuery,
  ): Promise<DocumentList> {
    return this.lists.list(scope, listRequestOf(body, query));
  }

  @Post('list_docs')
  @Route({ ...LIST, summary: 'List documents, by another name', description: 'The same as POST /documents.' })
  @ApiOkResponse({ type: DocumentListDto })
  listDocs(
    @CurrentScope() scope: Scope,
    @Body() body: ListDocumentsRequest,
    @Query() query: ScopeQuery,
  ): Promise<DocumentList> {
    return this.lists.list(scope, listRequestOf(body, query));
  }

  @Post('delete')
  @Route({
    permission: 'write',
    summary: 'Delete several documents',
    description: 'Each on its own, with everything that belongs to it; unknown ones are reported as such.',
  })
  @ApiOkResponse({ type: DeletedDocumentsDto })
  deleteAll(
    @CurrentScope() scope: Scope,
    @Body() body: DeleteDocumentsRequest,
  ): Promise<DeletedDocumentsDto> {
    return this.documents.deleteAll(scope, body.document_ids);
  }

  @Get('filename/:filename')
  @Route({
    permission: 'read',
    summary: 'The newest document of a name',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: DocumentDto })
  async byFilename(
    @CurrentScope() scope: Scope,
    @Param() { filename }: FilenamePath,
    @Query() query: ScopeQuery,
  ): Promise<DocumentRecord> {
    return recordOf(await this.documents.getByFilename(scope, selectionOf(query), filename));
  }

  @Get(':document_id')
  @Route({ permission: 'read', summary: 'A document', errors: { 404: 'Document not found' } })
  @ApiOkResponse({ type: DocumentDto })
  async get(@CurrentScope() scope: Scope, @Param('document_id') documentId: string): Promise<DocumentRecord> {
    return recordOf(await this.documents.get(scope, documentId));
  }

  @Get(':document_id/status')
  @Route({
    permission: 'read',
    summary: 'How far a document is',
    description: 'With `wait`, as soon as the document is not `processing` any more.',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: DocumentStatusDto })
  async status(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Query() { wait }: StatusQuery,
  ): Promise<DocumentStatusDto> {
    const status = statusRecordOf(await this.documents.getSettled(scope, documentId, wait));
    return plainToInstance(DocumentStatusDto, status, EXPOSED_ONLY);
  }

  @Delete(':document_id')
  @Route({
    permission: 'write',
    summary: 'Delete a document',
    description: 'The row, its text, chunks, vectors, jobs and files all go.',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: SuccessDto })
  async delete(@CurrentScope() scope: Scope, @Param('document_id') documentId: string): Promise<SuccessDto> {
    await this.documents.delete(scope, documentId);
    return { status: 'success', message: `Document ${documentId} deleted` };
  }
}
