import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { Waits } from '../../http/waits.js';
import { pageOf } from '../cursor-list.js';
import { PathIds } from '../path-ids.js';
import { isFinished, PollSeconds } from '../poll.js';
import { StoreFileListDto, StoreFilesQuery } from '../store-files/store-file.dto.js';
import { CreateFileBatchRequest, FileBatchDto } from './file-batch.dto.js';
import { FileBatchService } from './file-batch.service.js';
import { eachIn } from '../../http/bundled-calls.js';

const NO_BATCH = { 404: 'No file batch has the id "vsfb_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d"' };

@ApiTags('vector stores')
@Controller('v1/vector_stores/:vector_store_id/file_batches')
export class FileBatchesController {
  constructor(
    private readonly service: FileBatchService,
    private readonly waits: Waits,
  ) {}

  @Post()
  @Route({
    operationId: 'createVectorStoreFileBatch',
    permission: 'write',
    summary: 'Attach several files to a vector store',
    calls: (body) => Math.max(eachIn('files')(body), eachIn('file_ids')(body)),
    description: 'Files are attached one by one after the response. With `files`, other members are ignored.',
    errors: { 404: 'No file has the id "file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d"' },
  })
  @PathIds('store')
  @ApiOkResponse({ type: FileBatchDto })
  create(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') storeId: string,
    @Body() body: CreateFileBatchRequest,
  ): Promise<FileBatchDto> {
    return this.service.create(scope, storeId, body);
  }

  @Get(':batch_id')
  @Route({
    operationId: 'getVectorStoreFileBatch',
    permission: 'read',
    summary: 'Get a file batch',
    description:
      'With `X-Stainless-Poll-Helper: true`, waits up to ten seconds for the ingestion of the files.',
    errors: NO_BATCH,
  })
  @PathIds('store', 'batch')
  @ApiOkResponse({ type: FileBatchDto })
  get(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') storeId: string,
    @Param('batch_id') batchId: string,
    @PollSeconds() seconds: number,
  ): Promise<FileBatchDto> {
    return this.waits.settled(seconds, () => this.service.get(scope, storeId, batchId), isFinished);
  }

  @Post(':batch_id/cancel')
  @Route({
    operationId: 'cancelVectorStoreFileBatch',
    permission: 'write',
    summary: 'Cancel a file batch',
    description: 'Pending files are not attached; ingestion of attached files continues.',
    errors: NO_BATCH,
  })
  @PathIds('store', 'batch')
  @ApiOkResponse({ type: FileBatchDto })
  cancel(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') storeId: string,
    @Param('batch_id') batchId: string,
  ): Promise<FileBatchDto> {
    return this.service.cancel(scope, storeId, batchId);
  }

  @Get(':batch_id/files')
  @Route({
    operationId: 'listVectorStoreFileBatchFiles',
    permission: 'read',
    summary: 'List the files of a batch',
    errors: NO_BATCH,
  })
  @PathIds('store', 'batch')
  @ApiOkResponse({ type: StoreFileListDto })
  async files(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') storeId: string,
    @Param('batch_id') batchId: string,
    @Query() query: StoreFilesQuery,
  ): Promise<StoreFileListDto> {
    const { data, hasMore } = await this.service.list(scope, storeId, batchId, query);
    return pageOf(data, hasMore);
  }
}
