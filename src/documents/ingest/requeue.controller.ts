import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { RequeueRequest, RequeueResponseDto, RequeueService } from './requeue.service.js';

@ApiTags('ingestion')
@Controller('ingest')
export class RequeueController {
  constructor(private readonly requeues: RequeueService) {}

  @Post('requeue')
  @Route({
    permission: 'write',
    summary: 'Requeue documents',
    description:
      'Resumes failed documents. Rebuilds completed documents from their stored source; they stay searchable meanwhile.',
  })
  @ApiOkResponse({ type: RequeueResponseDto })
  async requeue(@CurrentScope() scope: Scope, @Body() body: RequeueRequest): Promise<RequeueResponseDto> {
    return { results: await this.requeues.requeue(scope, body) };
  }
}
