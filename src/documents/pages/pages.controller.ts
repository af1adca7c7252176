import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { DocumentPagesDto, PagesRequest, PagesService } from './pages.service.js';

@ApiTags('documents')
@Controller('documents')
export class PagesController {
  constructor(private readonly pages: PagesService) {}

  @Post('pages')
  @Route({
    permission: 'read',
    summary: 'Get page images of a document',
    description: 'Returns pages of a document that was ingested with use_colpali, as PNG at 150 dpi.',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: DocumentPagesDto })
  images(@CurrentScope() scope: Scope, @Body() body: PagesRequest): Promise<DocumentPagesDto> {
    const range = { first: body.start_page, last: body.end_page };
    return this.pages.images(scope, body.document_id, range, body.output_format ?? 'base64');
  }
}
