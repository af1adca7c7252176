import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { Waits } from '../../http/waits.js';
import { pageOf } from '../cursor-list.js';
import { PathIds } from '../path-ids.js';
import { isFinished, PollSeconds } from '../poll.js';
import {
  AttachFileRequest,
  DeletedStoreFileDto,
  FileContentDto,
  StoreFileDto,
  StoreFileListDto,
  StoreFilesQuery,
  UpdateAttributesRequest,
} from './store-file.dto.js';
import { StoreFileService } from './store-file.service.js';

const NO_STORE = { 404: 'No vector store has the id "vs_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d"' };
const NO_FILE = { 404: 'No file has the id "file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d"' };
const OTHER = { 400: 'The file is a document that was not attached as a file' };

@ApiTags('vector stores')
@Controller('v1/vector_stores/:vector_store_id/files')
export class StoreFilesController {
  constructor(
    private readonly service: StoreFileService,
    private readonly waits: Waits,
  ) {}

  @Post()
  @Route({
    operationId: 'createVectorStoreFile',
    permission: 'write',
    summary: 'Attach a file to a vector store',
    description:
      'If the file is already attached, replaces its attributes, and ingests it again if it failed or its chunking strategy changed.',
    errors: NO_FILE,
  })
  @PathIds('store')
  @ApiOkResponse({ type: StoreFileDto })
  attach(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') storeId: string,
    @Body() body: AttachFileRequest,
  ): Promise<StoreFileDto> {
    return this.service.attach(scope, storeId, body);
  }

  @Get()
  @Route({
    operationId: 'listVectorStoreFiles',
    permission: 'read',
    summary: 'List the files of a vector store',
    errors: NO_STORE,
  })
  @PathIds('store')
  @ApiOkResponse({ type: StoreFileListDto })
  async list(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') storeId: string,
    @Query() query: StoreFilesQuery,
  ): Promise<StoreFileListDto> {
    const { data, hasMore } = await this.service.list(scope, storeId, query);
    return pageOf(data, hasMore);
  }

  @Get(':file_id')
  @Route({
    operationId: 'getVectorStoreFile',
    permission: 'read',
    summary: 'Get a file of a vector store',
    description:
      'With `X-Stainless-Poll-Helper: true`, waits up to ten seconds for the ingestion of the file.',
    errors: NO_FILE,
  })
  @PathIds('store', 'file')
  @ApiOkResponse({ type: StoreFileDto })
  get(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') storeId: string,
    @Param('file_id') fileId: string,
    @PollSeconds() seconds: number,
  ): Promise<StoreFileDto> {
    return this.waits.settled(seconds, () => this.service.get(scope, storeId, fileId), isFinished);
  }

  @Post(':file_id')
  @Route({
    operationId: 'updateVectorStoreFile',
    permission: 'write',
    summary: 'Replace the attributes of a file',
    errors: { ...NO_FILE, ...OTHER },
  })
  @PathIds('store', 'file')
  @ApiOkResponse({ type: StoreFileDto })
  update(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') storeId: string,
    @Param('file_id') fileId: string,
    @Body() body: UpdateAttributesRequest,
  ): Promise<StoreFileDto> {
    return this.service.describe(scope, storeId, fileId, body.attributes);
  }

  @Delete(':file_id')
  @Route({
    operationId: 'deleteVectorStoreFile',
    permission: 'write',
    summary: 'Remove a file from a vector store',
    audit: {
      action: 'vector_store.remove_file',
      subject: ({ params }) => [params['vector_store_id'], params['file_id']],
    },
    description: 'Keeps the uploaded file.',
    errors: { ...NO_FILE, ...OTHER },
  })
  @PathIds('store', 'file')
  @ApiOkResponse({ type: DeletedStoreFileDto })
  async delete(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') storeId: string,
    @Param('file_id') fileId: string,
  ): Promise<DeletedStoreFileDto> {
    await this.service.detach(scope, storeId, fileId);
    return { id: fileId, object: 'vector_store.file.deleted', deleted: true };
  }

  @Get(':file_id/content')
  @Route({
    operationId: 'getVectorStoreFileContent',
    permission: 'read',
    summary: 'Get the extracted text of a file',
    errors: NO_FILE,
  })
  @PathIds('store', 'file')
  @ApiOkResponse({ type: FileContentDto })
  async content(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') storeId: string,
    @Param('file_id') fileId: string,
  ): Promise<FileContentDto> {
    const text = await this.service.text(scope, storeId, fileId);
    return {
      object: 'vector_store.file_content.page',
      data: text === null ? [] : [{ type: 'text', text }],
      has_more: false,
      next_page: null,
    };
  }
}
