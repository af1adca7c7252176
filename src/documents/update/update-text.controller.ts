import { Body, Controller, Headers, Inject, Param, Post, Query } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Invalid } from '../../errors/index.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { DocumentDto } from '../document.dto.js';
import { toTextUpdate, UpdateTextDto, UpdateTextQuery } from './update-text.dto.js';
import { UpdateTextService } from './update-text.service.js';

/** Visible ASCII characters, as in header values and tokens. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

@ApiTags('documents')
@Controller('documents')
export class UpdateTextController {
  constructor(
    private readonly updates: UpdateTextService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post(':document_id/update_text')
  @Route({
    permission: 'write',
    summary: 'Update the text of a document',
    description:
      'Appends to the text or replaces it. The old version stays searchable until the new one is complete. Concurrent updates of a document run one after another.',
    carriesDocument: true,
    errors: {
      404: 'Document not found',
      409: 'The document is still being processed; try again later',
      502: 'The embedding provider could not be reached',
    },
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY.source },
    description:
      'For 24 hours, a request with the same key and body returns the first response and changes nothing.',
  })
  @ApiOkResponse({ type: DocumentDto })
  update(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Query() query: UpdateTextQuery,
    @Body() body: UpdateTextDto,
    @Headers('Idempotency-Key') key?: string,
  ): Promise<DocumentDto> {
    if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
      throw Invalid.at(
        ['header', 'idempotency-key'],
        'Value error, a key is 1 to 255 visible ASCII characters without spaces',
      );
    }
    return this.updates.update(scope, documentId, toTextUpdate(body, query, this.settings), key);
  }
}
