import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { SummaryDto, SummaryService, summaryTextOf, WriteSummaryRequest } from './summary.service.js';

@ApiTags('documents')
@Controller('documents')
export class SummaryController {
  constructor(private readonly summaries: SummaryService) {}

  @Get(':document_id/summary')
  @Route({
    operationId: 'getDocumentSummary',
    permission: 'read',
    summary: 'Get the summary of a document',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: SummaryDto })
  get(@CurrentScope() scope: Scope, @Param('document_id') documentId: string): Promise<SummaryDto> {
    return this.summaries.get(scope, documentId);
  }

  @Put(':document_id/summary')
  @Route({
    operationId: 'writeDocumentSummary',
    permission: 'write',
    summary: 'Write the summary of a document',
    description:
      'Stores the given text; nothing is generated. A request that replaces the text of the document removes its summary.',
    carriesDocument: true,
    errors: {
      404: 'Document not found',
      409: 'A summary already exists: set versioning or overwrite_latest',
    },
  })
  @ApiOkResponse({ type: SummaryDto })
  write(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Body() body: WriteSummaryRequest,
  ): Promise<SummaryDto> {
    return this.summaries.write(scope, documentId, summaryTextOf(body));
  }
}
