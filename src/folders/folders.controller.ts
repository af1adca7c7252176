import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../auth/scope.js';
import { SummaryDto, summaryTextOf, WriteSummaryRequest } from '../documents/summary/summary.service.js';
import { CurrentScope } from '../http/current-scope.decorator.js';
import { Route } from '../http/route.decorator.js';
import { SuccessDto } from '../http/success.dto.js';
import { FolderDetailsService } from './folder-details.service.js';
import {
  FolderDetailsListDto,
  folderDtoOf,
  FolderDto,
  FolderSummaryDto,
  summaryOf,
} from './folder-response.dto.js';
import { FolderService } from './folder.service.js';
import {
  CreateFolderRequest,
  DeleteFolderQuery,
  FolderDetailsRequest,
  FolderDocumentParameters,
  FolderParameter,
  MoveFolderRequest,
} from './folders.dto.js';

@ApiTags('folders')
@Controller('folders')
export class FoldersController {
  constructor(
    private readonly folders: FolderService,
    private readonly folderDetails: FolderDetailsService,
  ) {}

  @Post()
  @Route({
    permission: 'write',
    summary: 'Create a folder',
    description: 'It and its ancestors are made where they are missing; one that is there is returned.',
    errors: { 404: 'Parent folder not found' },
  })
  @ApiOkResponse({ type: FolderDto })
  async create(@CurrentScope() scope: Scope, @Body() body: CreateFolderRequest): Promise<FolderDto> {
    return folderDtoOf(await this.folders.create(scope, body), scope.appId);
  }

  @Get()
  @Route({
    permission: 'read',
    summary: 'List folders',
    description: 'All of them, in the order of their paths.',
  })
  @ApiOkResponse({ type: FolderDto, isArray: true })
  async list(@CurrentScope() scope: Scope): Promise<FolderDto[]> {
    return (await this.folders.list(scope)).map((folder) => folderDtoOf(folder, scope.appId));
  }

  @Get('summary')
  @Route({
    permission: 'read',
    summary: 'Count the documents of folders',
    description: 'All folders, in the order of their paths, with the number of documents right in each.',
  })
  @ApiOkResponse({ type: FolderSummaryDto, isArray: true })
  async summaries(@CurrentScope() scope: Scope): Promise<FolderSummaryDto[]> {
    return (await this.folders.counts(scope)).map(summaryOf);
  }

  @Post('details')
  @Route({
    permission: 'read',
    summary: 'Folders with their documents',
    description: 'Named folders or all of them, with counts and a window of the documents right in each.',
  })
  @ApiOkResponse({ type: FolderDetailsListDto })
  details(@CurrentScope() scope: Scope, @Body() body: FolderDetailsRequest): Promise<FolderDetailsListDto> {
    return this.folderDetails.details(scope, body);
  }

  @Get(':folder')
  @Route({ permission: 'read', summary: 'A folder', errors: { 404: 'Folder not found' } })
  @ApiOkResponse({ type: FolderDto })
  async get(@CurrentScope() scope: Scope, @Param() { folder }: FolderParameter): Promise<FolderDto> {
    return folderDtoOf(await this.folders.get(scope, folder), scope.appId);
  }

  @Get(':folder/summary')
  @Route({ permission: 'read', summary: 'The summary of a folder', errors: { 404: 'Folder not found' } })
  @ApiOkResponse({ type: SummaryDto })
  summary(@CurrentScope() scope: Scope, @Param() { folder }: FolderParameter): Promise<SummaryDto> {
    return this.folders.summary(scope, folder);
  }

  @Put(':folder/summary')
  @Route({
    permission: 'write',
    summary: 'Write the summary of a folder',
    description: 'It is stored as it comes; nothing is generated.',
    carriesDocument: true,
    errors: {
      404: 'Folder not found',
      409: 'There is a summary already: set versioning or overwrite_latest',
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
    permission: 'write',
    summary: 'Move or rename a folder',
    description: 'Everything below it and all documents go with it, at once. Its identifier stays.',
    errors: { 404: 'Folder not found', 409: 'There is a folder at the new path already' },
  })
  @ApiOkResponse({ type: FolderDto })
  async move(
    @CurrentScope() scope: Scope,
    @Param() { folder }: FolderParameter,
    @Body() body: MoveFolderRequest,
  ): Promise<FolderDto> {
    return folderDtoOf(await this.folders.move(scope, folder, body.new_path), scope.appId);
  }

  @Post(':folder/documents/:document_id')
  @Route({
    permission: 'write',
    summary: 'Put a document into a folder',
    description: 'Out of the one that it was in: a document lies in one folder or in none.',
    errors: { 404: 'Folder not found' },
  })
  @ApiOkResponse({ type: SuccessDto })
  async put(
    @CurrentScope() scope: Scope,
    @Param() { folder, document_id: id }: FolderDocumentParameters,
  ): Promise<SuccessDto> {
    const { path } = await this.folders.put(scope, folder, id);
    return { status: 'success', message: `Document ${id} is in folder ${path}` };
  }

  @Delete(':folder/documents/:document_id')
  @Route({
    permission: 'write',
    summary: 'Take a document out of a folder',
    description: 'The document stays, in no folder.',
    errors: { 404: 'Folder not found' },
  })
  @ApiOkResponse({ type: SuccessDto })
  async takeOut(
    @CurrentScope() scope: Scope,
    @Param() { folder, document_id: id }: FolderDocumentParameters,
  ): Promise<SuccessDto> {
    const { path } = await this.folders.takeOut(scope, folder, id);
    return { status: 'success', message: `Document ${id} taken out of folder ${path}` };
  }

  @Delete(':folder')
  @Route({
    permission: 'write',
    summary: 'Delete a folder and its documents',
    description:
      'The documents in it go as by DELETE /documents/{id}; with recursive=true the folders below, too.',
    errors: {
      404: 'Folder not found',
      409: 'There are folders below this one: delete them first, or all with recursive=true',
    },
  })
  @ApiOkResponse({ type: SuccessDto })
  async delete(
    @CurrentScope() scope: Scope,
    @Param() { folder }: FolderParameter,
    @Query() { recursive }: DeleteFolderQuery,
  ): Promise<SuccessDto> {
    const { path } = await this.folders.delete(scope, folder, recursive);
    return { status: 'success', message: `Folder ${path} deleted` };
  }
}
