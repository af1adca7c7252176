import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { CursorQuery, pageOf } from '../cursor-list.js';
import { PathIds } from '../path-ids.js';
import { VectorStoreSearchService } from '../search/vector-store-search.service.js';
import { SearchPageDto, SearchRequest } from '../search/search.dto.js';
import {
  CreateVectorStoreRequest,
  DeletedVectorStoreDto,
  UpdateVectorStoreRequest,
  VectorStoreDto,
  VectorStoreListDto,
} from './vector-store.dto.js';
import { VectorStoreService } from './vector-store.service.js';
import { eachIn } from '../../http/bundled-calls.js';

const NO_STORE = { 404: 'No vector store has the id "vs_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d"' };

@ApiTags('vector stores')
@Controller('v1/vector_stores')
export class VectorStoresController {
  constructor(
    private readonly service: VectorStoreService,
    private readonly searches: VectorStoreSearchService,
  ) {}

  @Post()
  @Route({
    operationId: 'createVectorStore',
    permission: 'write',
    summary: 'Create a vector store',
    calls: eachIn('file_ids'),
    description:
      'The store is the folder `/vector_stores/<id>`. Searches and completions without a folder exclude it.',
    errors: { 404: 'No file has the id "file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d"' },
  })
  @ApiOkResponse({ type: VectorStoreDto })
  create(@CurrentScope() scope: Scope, @Body() body: CreateVectorStoreRequest): Promise<VectorStoreDto> {
    return this.service.create(scope, body);
  }

  @Get()
  @Route({
    operationId: 'listVectorStores',
    permission: 'read',
    summary: 'List vector stores',
    description: 'Every folder is a vector store.',
  })
  @ApiOkResponse({ type: VectorStoreListDto })
  async list(@CurrentScope() scope: Scope, @Query() query: CursorQuery): Promise<VectorStoreListDto> {
    const { data, hasMore } = await this.service.list(scope, query);
    return pageOf(data, hasMore);
  }

  @Get(':vector_store_id')
  @Route({
    operationId: 'getVectorStore',
    permission: 'read',
    summary: 'Get a vector store',
    errors: NO_STORE,
  })
  @PathIds('store')
  @ApiOkResponse({ type: VectorStoreDto })
  get(@CurrentScope() scope: Scope, @Param('vector_store_id') id: string): Promise<VectorStoreDto> {
    return this.service.get(scope, id);
  }

  @Post(':vector_store_id')
  @Route({
    operationId: 'updateVectorStore',
    permission: 'write',
    summary: 'Modify a vector store',
    description: 'Omitted members remain unchanged; null removes their values.',
    errors: NO_STORE,
  })
  @PathIds('store')
  @ApiOkResponse({ type: VectorStoreDto })
  update(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') id: string,
    @Body() body: UpdateVectorStoreRequest,
  ): Promise<VectorStoreDto> {
    return this.service.update(scope, id, body);
  }

  @Delete(':vector_store_id')
  @Route({
    operationId: 'deleteVectorStore',
    permission: 'write',
    summary: 'Delete a vector store',
    description:
      'Keeps the uploaded files. Refuses a folder that was not created as a vector store: delete it with DELETE /folders/{folder}.',
    audit: { action: 'vector_store.delete', subject: ({ params }) => [params['vector_store_id']] },
    errors: { ...NO_STORE, 400: 'The vector store is the folder /handbook, not created as a vector store' },
  })
  @PathIds('store')
  @ApiOkResponse({ type: DeletedVectorStoreDto })
  async delete(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') id: string,
  ): Promise<DeletedVectorStoreDto> {
    await this.service.delete(scope, id);
    return { id, object: 'vector_store.deleted', deleted: true };
  }

  @Post(':vector_store_id/search')
  @Route({
    operationId: 'searchVectorStore',
    permission: 'read',
    summary: 'Search a vector store',
    errors: { ...NO_STORE, 502: 'The embedding provider could not be reached' },
  })
  @PathIds('store')
  @ApiOkResponse({ type: SearchPageDto })
  search(
    @CurrentScope() scope: Scope,
    @Param('vector_store_id') id: string,
    @Body() body: SearchRequest,
  ): Promise<SearchPageDto> {
    return this.searches.page(scope, id, body);
  }
}
