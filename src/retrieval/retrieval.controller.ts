import { Body, Controller, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import type { Scope } from '../auth/scope.js';
import { CurrentScope, ShowsPlan } from '../http/current-scope.decorator.js';
import { Route } from '../http/route.decorator.js';
import { setServerTiming } from '../http/request-signal.js';
import { RetrievalService } from './retrieval.service.js';
import type { Retrieved } from './retrieval.types.js';
import {
  ChunkResultDto,
  DocumentResultDto,
  GroupedChunksDto,
  toChunkResultDto,
  toDocumentResultDto,
  toGroupedChunksDto,
} from './retrieve-response.dto.js';
import { BatchChunksRequest, RetrieveChunksDto, RetrieveDto, toRetrieveRequest } from './retrieve.dto.js';
import { eachHundredIn } from '../http/bundled-calls.js';

@ApiTags('retrieval')
@Controller('retrieve')
export class RetrievalController {
  constructor(private readonly retrieval: RetrievalService) {}

  @Post('chunks')
  @Route({
    operationId: 'retrieveChunks',
    permission: 'read',
    token: 'read',
    summary: 'Search passages',
    description: 'Returns a flat list in rank order. Padding chunks follow the matches.',
    carriesDocument: true,
    errors: { 502: 'The embedding provider could not be reached' },
  })
  @ApiOkResponse({ type: ChunkResultDto, isArray: true })
  async chunks(
    @CurrentScope() scope: Scope,
    @Body() body: RetrieveChunksDto,
    @ShowsPlan() showsPlan: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ChunkResultDto[]> {
    const { chunks } = await this.retrieve(scope, body, showsPlan, reply);
    return chunks.map(toChunkResultDto);
  }

  @Post('chunks/grouped')
  @Route({
    operationId: 'retrieveGroupedChunks',
    permission: 'read',
    token: 'read',
    summary: 'Search passages, grouped by match',
    description: 'Returns one group for each match with its padding chunks. `chunks` lists every chunk once.',
    carriesDocument: true,
    errors: { 502: 'The embedding provider could not be reached' },
  })
  @ApiOkResponse({ type: GroupedChunksDto })
  async grouped(
    @CurrentScope() scope: Scope,
    @Body() body: RetrieveChunksDto,
    @ShowsPlan() showsPlan: boolean,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<GroupedChunksDto> {
    const retrieved = await this.retrieve(scope, body, showsPlan, reply);
    const grouped = toGroupedChunksDto(retrieved);
    if (showsPlan) grouped.metadata = { plan: retrieved.plan };
    return grouped;
  }

  @Post('docs')
  @Route({
    operationId: 'retrieveDocuments',
    permission: 'read',
    token: 'read',
    summary: 'Search documents',
    description: 'Returns at most `k` documents with their best chunk, best first.',
    carriesDocument: true,
    errors: { 502: 'The embedding provider could not be reached' },
  })
  @ApiOkResponse({ type: DocumentResultDto, isArray: true })
  async docs(
    @CurrentScope() scope: Scope,
    @Body() body: RetrieveDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DocumentResultDto[]> {
    const documents = await this.retrieval.retrieveDocuments(scope, toRetrieveRequest(body));
    setServerTiming(reply);
    return documents.map(toDocumentResultDto);
  }

  private async retrieve(
    scope: Scope,
    body: RetrieveChunksDto,
    showsPlan: boolean,
    reply: FastifyReply,
  ): Promise<Retrieved> {
    const request = { ...toRetrieveRequest(body), withScoreComponents: body.explain };
    const retrieved = await this.retrieval.retrieve(scope, request);
    setServerTiming(reply, showsPlan ? retrieved.plan : undefined);
    return retrieved;
  }
}

@ApiTags('retrieval')
@Controller('batch')
export class BatchController {
  constructor(private readonly retrieval: RetrievalService) {}

  @Post('chunks')
  @Route({
    operationId: 'batchGetChunks',
    permission: 'read',
    token: 'chunks',
    summary: 'Get chunks by document and number',
    calls: eachHundredIn('sources'),
    description:
      'Returns the existing chunks in request order. Omits unknown chunks and chunks of other tenants.',
  })
  @ApiOkResponse({ type: ChunkResultDto, isArray: true })
  async chunks(@CurrentScope() scope: Scope, @Body() body: BatchChunksRequest): Promise<ChunkResultDto[]> {
    return (await this.retrieval.chunksAt(scope, body)).map(toChunkResultDto);
  }
}
