import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { Quotas } from '../../quotas/quotas.service.js';
import { OperationLog } from '../logs/operation-log.js';
import { KeyUsageDto, KeyUsageQuery, toKeyUsageDto } from './key-usage.dto.js';
import { QuotaUsageDto, toQuotaUsageDto } from './quota-usage.dto.js';
import { AppStorageDto, UsageService } from './usage.service.js';

@ApiTags('usage')
@Controller('usage')
export class UsageController {
  constructor(
    private readonly service: UsageService,
    private readonly log: OperationLog,
    private readonly quotas: Quotas,
  ) {}

  @Get('app-storage')
  @Route({
    operationId: 'getAppStorage',
    permission: 'read',
    summary: 'Get storage usage of the tenant in MB',
  })
  @ApiOkResponse({ type: AppStorageDto })
  appStorage(@CurrentScope() scope: Scope): Promise<AppStorageDto> {
    return this.service.appStorage(scope);
  }

  @Get('quotas')
  @Route({
    operationId: 'getQuotaUsage',
    permission: ['read', 'query', 'write', 'admin'],
    summary: 'List quotas with what is used and left',
    description:
      'Lists the quotas of the tenant, unless the key belongs to an end user, and those of the end user.',
  })
  @ApiOkResponse({ type: [QuotaUsageDto] })
  async quotaUsage(@CurrentScope() scope: Scope): Promise<QuotaUsageDto[]> {
    return (await this.quotas.usage(scope)).map(toQuotaUsageDto);
  }

  @Get('keys')
  @Route({
    operationId: 'listKeyUsage',
    permission: 'admin',
    summary: 'List usage by key and end user, most recently used first',
    description:
      'Sums the operation log, which keeps the last 10,000 operations of a tenant for a week. Keys without operations are omitted.',
  })
  @ApiOkResponse({ type: [KeyUsageDto] })
  async keys(@CurrentScope() scope: Scope, @Query() { hours }: KeyUsageQuery): Promise<KeyUsageDto[]> {
    return (await this.log.usage(scope, hours)).map(toKeyUsageDto);
  }
}
