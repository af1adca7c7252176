import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AppRepository } from '../../auth/app.repository.js';
import { AuditLog } from '../../auth/audit/audit-log.js';
import { RefusalCounts } from '../../auth/audit/refusal-counts.js';
import { administered, isOperator, type Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { AuditListDto, AuditQuery, toAuditListDto } from './audit.dto.js';

@ApiTags('tenants')
@Controller('audit')
export class AuditController {
  constructor(
    private readonly log: AuditLog,
    private readonly apps: AppRepository,
    private readonly refusals: RefusalCounts,
  ) {}

  @Get()
  @Route({
    operationId: 'listAuditEntries',
    permission: 'admin',
    summary: 'List entries of the audit log, newest first',
    description:
      'Lists actions on keys, people, access, applications and settings, changes and deletions of documents and chats, refused keys, and what an administrator opened of a person: who, when, what, from where, and the outcome. Entries cannot be changed or deleted here. A tenant reads the entries since it was made, not those of a removed tenant that had its id. `lectern audit` lists commands and all tenants.',
  })
  @ApiOkResponse({ type: AuditListDto })
  async list(
    @CurrentScope() scope: Scope,
    @Query() { app_id, limit, before }: AuditQuery,
  ): Promise<AuditListDto> {
    const appId = administered(scope, app_id ?? null);
    await this.refusals.flush();
    const since = isOperator(scope) ? null : await this.apps.madeAt(appId);
    const entries = await this.log.list(appId, limit + 1, { before: before ?? null, since });
    return toAuditListDto(scope, entries, limit);
  }
}
