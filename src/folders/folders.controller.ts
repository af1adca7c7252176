import { Body, Controller, Delete, Get, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../auth/scope.js';
import { listsInWords } from '../documents/access-control.js';
import { SummaryDto, summaryTextOf, WriteSummaryRequest } from '../documents/summary/summary.service.js';
import { CurrentScope } from '../http/current-scope.decorator.js';
import { linkNextPage } from '../http/next-page.js';
import { Route } from '../http/route.decorator.js';
import { SuccessDto } from '../http/error.dto.js';
import { FolderDetailsService } from './folder-details.service.js';
import {
  ChangedFolderDto,
  FolderDetailsListDto,
  folderDtoOf,
  FolderDto,
  FolderSummaryDto,
  FolderWithRightsDto,
  PlacedDocumentDto,
  placedDocumentOf,
  summaryOf,
} from './folder-response.dto.js';
import { FolderTreeService } from './folder-tree.service.js';
import { FolderService } from './folder.service.js';
import {
  ChangeFolderRequest,
  CreateFolderRequest,
  DeleteFolderQuery,
  FolderDetailsRequest,
  FolderDocumentParameters,
  FolderListQuery,
  FolderParameter,
  MoveFolderRequest,
} from './folders.dto.js';

const PAGES =
  'Returns a page of the folders, ordered by path. If more follow, the header `Link` names the next page with `rel="next"`.';

@ApiTags('folders')
@Controller('folders')
export class FoldersController {
  constructor(
    private readonly folders: FolderService,
    private readonly tree: FolderTreeService,
    private readonly folderDetails: FolderDetailsService,
  ) {}

  @Post()
  @Route({
    operationId: 'createFolder',
    permission: 'write',
    summary: 'Create a folder',
    description: 'Creates missing ancestors too. Returns the folder if it exists already.',
    errors: { 404: 'Parent folder not found' },
  })
  @ApiOkResponse({ type: FolderDto })
  async create(@CurrentScope() scope: Scope, @Body() body: CreateFolderRequest): Promise<FolderDto> {
    return folderDtoOf(scope, await this.folders.create(scope, body));
  }

  @Get()
  @Route({
    operationId: 'listFolders',
    permission: 'read',
    summary: 'List folders',
    description: PAGES,
    errors: { 404: 'Parent folder not found' },
  })
  @ApiOkResponse({ type: FolderDto, isArray: true })
  async list(
    @CurrentScope() scope: Scope,
    @Query() query: FolderListQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FolderDto[]> {
    const { items, hasMore } = await this.folders.list(scope, query);
    if (hasMore) linkNextPage(request, reply, query.skip + items.length);
    return items.map((folder) => folderDtoOf(scope, folder));
  }

  @Get('summary')
  @Route({
    operationId: 'listFolderSummaries',
    permission: 'read',
    summary: 'Count documents by folder',
    description: `Like GET /folders, with the number of documents directly in each. ${PAGES}`,
    errors: { 404: 'Parent folder not found' },
  })
  @ApiOkResponse({ type: FolderSummaryDto, isArray: true })
  async summaries(
    @CurrentScope() scope: Scope,
    @Query() query: FolderListQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FolderSummaryDto[]> {
    const { items, hasMore } = await this.folders.counts(scope, query);
    if (hasMore) linkNextPage(request, reply, query.skip + items.length);
    return items.map(summaryOf);
  }

  @Post('details')
  @Route({
    operationId: 'getFolderDetails',
    permission: 'read',
    summary: 'Get folders with their documents',
    description:
      'Returns the requested or all folders, with counts and a page of the documents directly in each.',
  })
  @ApiOkResponse({ type: FolderDetailsListDto })
  details(@CurrentScope() scope: Scope, @Body() body: FolderDetailsRequest): Promise<FolderDetailsListDto> {
    return this.folderDetails.details(scope, body);
  }

  @Get(':folder')
  @Route({
    operationId: 'getFolder',
    permission: 'read',
    summary: 'A folder',
    errors: { 404: 'Folder not found' },
  })
  @ApiOkResponse({ type: FolderWithRightsDto })
  async get(
    @CurrentScope() scope: Scope,
    @Param() { folder }: FolderParameter,
  ): Promise<FolderWithRightsDto> {
    const found = await this.folders.get(scope, folder);
    const { mayRename, mayDelete } = await this.tree.rights(scope, found);
    return Object.assign(folderDtoOf(scope, found), { may_rename: mayRename, may_delete: mayDelete });
  }

  @Patch(':folder')
  @Route({
    operationId: 'changeFolder',
    permission: 'write',
    summary: 'Change who may read and change what lies below a folder',
    description:
      'Counts for documents and subfolders without access lists of their own. A document that was private to a user stays private.',
    audit: {
      action: 'folder.share',
      subject: ({ params, body }) => [params['folder'], listsInWords(body['access_control'])],
    },
    errors: { 404: 'Folder not found' },
  })
  @ApiOkResponse({ type: ChangedFolderDto })
  async change(
    @CurrentScope() scope: Scope,
    @Param() { folder }: FolderParameter,
    @Body() body: ChangeFolderRequest,
  ): Promise<ChangedFolderDto> {
    const { described, changedDocuments } = await this.tree.change(scope, folder, body.access_control);
    return Object.assign(folderDtoOf(scope, described), { changed_documents: changedDocuments });
  }

  @Get(':folder/summary')
  @Route({
    operationId: 'getFolderSummary',
    permission: 'read',
    summary: 'Get the summary of a folder',
    errors: { 404: 'Folder not found' },
  })
  @ApiOkResponse({ type: SummaryDto })
  summary(@CurrentScope() scope: Scope, @Param() { folder }: FolderParameter): Promise<SummaryDto> {
    return this.folders.summary(scope, folder);
  }

  @Put(':folder/summary')
  @Route({
    operationId: 'writeFolderSummary',
    permission: 'write',
    summary: 'Write the summary of a folder',
    description: 'Stores the given text; nothing is generated.',
    carriesDocument: true,
    errors: {
      404: 'Folder not found',
      409: 'A summary already exists: set versioning or overwrite_latest',
    },
  })
  @ApiOkResponse({ type: SummaryDto })
  writeSummary(
    @CurrentScope() scope: Scope,
    @Param() { folder }: FolderParameter,
    @Body() body: WriteSummaryRequest,
  ): Promise<SummaryDto> {
    return this.folders.writeSummary(scope, folder, summaryTextOf(body));
  }

  @Post(':folder/move')
  @Route({
    operationId: 'moveFolder',
    permission: 'write',
    summary: 'Move or rename a folder',
    audit: { action: 'folder.move', subject: ({ params, body }) => [params['folder'], body['new_path']] },
    description:
      'Moves the folder with its subfolders and documents in one transaction. The folder id does not change.',
    errors: { 404: 'Folder not found', 409: 'A folder exists at the new path' },
  })
  @ApiOkResponse({ type: FolderDto })
  async move(
    @CurrentScope() scope: Scope,
    @Param() { folder }: FolderParameter,
    @Body() body: MoveFolderRequest,
  ): Promise<FolderDto> {
    return folderDtoOf(scope, await this.tree.move(scope, folder, body.new_path));
  }

  @Post(':folder/documents/:document_id')
  @Route({
    operationId: 'addDocumentToFolder',
    permission: 'write',
    summary: 'Add a document to a folder',
    audit: { action: 'document.place', subject: ({ params }) => [params['folder'], params['document_id']] },
    description:
      'Moves the document out of its current folder: a document is in at most one folder. A document without access lists of its own gets those of the folder; the answer tells if that changes who may read or change it.',
    errors: { 404: 'Folder not found' },
  })
  @ApiOkResponse({ type: PlacedDocumentDto })
  async put(
    @CurrentScope() scope: Scope,
    @Param() { folder, document_id: id }: FolderDocumentParameters,
  ): Promise<PlacedDocumentDto> {
    const { path, ...placement } = await this.folders.put(scope, folder, id);
    return placedDocumentOf(`Document ${id} added to folder ${path}`, placement);
  }

  @Delete(':folder/documents/:document_id')
  @Route({
    operationId: 'removeDocumentFromFolder',
    permission: 'write',
    summary: 'Remove a document from a folder',
    audit: { action: 'document.place', subject: ({ params }) => [params['folder'], params['document_id']] },
    description: 'The document is kept, without a folder.',
    errors: { 404: 'Folder not found' },
  })
  @ApiOkResponse({ type: PlacedDocumentDto })
  async removeDocument(
    @CurrentScope() scope: Scope,
    @Param() { folder, document_id: id }: FolderDocumentParameters,
  ): Promise<PlacedDocumentDto> {
    const { path, ...placement } = await this.folders.removeDocument(scope, folder, id);
    return placedDocumentOf(`Document ${id} removed from folder ${path}`, placement);
  }

  @Delete(':folder')
  @Route({
    operationId: 'deleteFolder',
    permission: 'write',
    summary: 'Delete a folder and its documents',
    description:
      'Deletes its documents as DELETE /documents/{id} does; with recursive=true its subfolders too.',
    audit: { action: 'folder.delete', subject: ({ params }) => [params['folder']] },
    errors: {
      404: 'Folder not found',
      409: 'The folder has subfolders: delete them first, or set recursive=true',
    },
  })
  @ApiOkResponse({ type: SuccessDto })
  async delete(
    @CurrentScope() scope: Scope,
    @Param() { folder }: FolderParameter,
    @Query() { recursive }: DeleteFolderQuery,
  ): Promise<SuccessDto> {
    const { path } = await this.tree.delete(scope, folder, recursive);
    return { status: 'success', message: `Folder ${path} deleted` };
  }
}
