import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { LogDto, logSelectionOf, LogsQuery, toLogDto } from './logs.dto.js';
import { OperationLog } from './operation-log.js';

@ApiTags('usage')
@Controller('logs')
export class LogsController {
  constructor(private readonly log: OperationLog) {}

  @Get()
  @Route({
    operationId: 'listLogs',
    permission: 'admin',
    summary: 'List recent operations of the tenant, newest first',
    description: 'Excludes GET requests, and requests rejected for their key, permission or rate limit.',
  })
  @ApiOkResponse({ type: [LogDto] })
  async logs(@CurrentScope() scope: Scope, @Query() query: LogsQuery): Promise<LogDto[]> {
    return (await this.log.list(scope, logSelectionOf(query))).map(toLogDto);
  }
}
