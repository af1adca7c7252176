import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../auth/scope.js';
import { CurrentScope } from '../http/current-scope.decorator.js';
import { Route } from '../http/route.decorator.js';
import { BatchChunksRequest } from './batch-chunks.dto.js';
import { BatchService } from './batch.service.js';
import { ChunkResultDto, toChunkResultDto } from './retrieve-response.dto.js';

@ApiTags('retrieval')
@Controller('batch')
export class BatchController {
  constructor(private readonly batch: BatchService) {}

  @Post('chunks')
  @Route({
    permission: 'read',
    summary: 'Chunks by their places',
    description:
      'The chunks that are there, in the order in which they are named; unknown ones and those of other tenants are left out.',
  })
  @ApiOkResponse({ type: ChunkResultDto, isArray: true })
  async chunks(@CurrentScope() scope: Scope, @Body() body: BatchChunksRequest): Promise<ChunkResultDto[]> {
    return (await this.batch.chunks(scope, body)).map(toChunkResultDto);
  }
}
