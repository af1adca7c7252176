import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { sendBytes } from '../files/file-delivery.js';
import { PagePath, PlacesDto, PlacesRequest } from './page-view.dto.js';
import { PageViews } from './page-views.js';
import { DocumentPagesDto, PagesRequest, PagesService } from './pages.service.js';

const NOT_FOUND = { 404: 'Document not found' };

@ApiTags('documents')
@Controller('documents')
export class PagesController {
  constructor(
    private readonly pages: PagesService,
    private readonly views: PageViews,
  ) {}

  @Post('pages')
  @Route({
    operationId: 'getPageImages',
    permission: 'read',
    token: 'page_images',
    summary: 'Get page images of a document',
    description: 'Returns pages of a document that was ingested with use_colpali, as PNG at 150 dpi.',
    errors: NOT_FOUND,
  })
  @ApiOkResponse({ type: DocumentPagesDto })
  images(@CurrentScope() scope: Scope, @Body() body: PagesRequest): Promise<DocumentPagesDto> {
    const range = { first: body.start_page, last: body.end_page };
    return this.pages.images(scope, body.document_id, range, body.output_format ?? 'base64');
  }

  @Get(':document_id/pages/:page_number/image')
  @Route({
    operationId: 'getPageImage',
    permission: 'read',
    token: 'page_images',
    summary: 'Get the image of a page',
    description:
      'Returns a page as PNG at 150 dpi. Pages of PDFs and pictures, and of office documents where LibreOffice is installed, are drawn on demand; other formats have pages if they were ingested with use_colpali. The first request for a page of an office document converts it, and is a 503 with Retry-After if that takes longer than 15 s.',
    errors: NOT_FOUND,
  })
  @ApiOkResponse({
    description: 'The page.',
    content: { 'image/png': { schema: { type: 'string', format: 'binary' } } },
  })
  @ApiResponse({ status: 304, description: 'Not modified: `If-None-Match` matches the page.' })
  async view(
    @CurrentScope() scope: Scope,
    @Param() { document_id, page_number }: PagePath,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { png } = await this.views.get(scope, document_id, page_number);
    await sendBytes(request, reply, {
      bytes: png,
      contentType: 'image/png',
      filename: `page-${page_number}.png`,
    });
  }

  @Post(':document_id/pages/:page_number/places')
  @Route({
    operationId: 'findPlaces',
    permission: 'read',
    token: 'places',
    summary: 'Find a text on a page',
    description:
      'Returns the rectangles on a page image that contain a text, such as the `quote` of a citation, so that a client can highlight it. They come from the text layer of the PDF; scans and pictures have none.',
    errors: NOT_FOUND,
  })
  @ApiOkResponse({ type: PlacesDto })
  places(
    @CurrentScope() scope: Scope,
    @Param() { document_id, page_number }: PagePath,
    @Body() { text, anywhere }: PlacesRequest,
  ): Promise<PlacesDto> {
    return this.views.places(scope, document_id, page_number, { text, anywhere: anywhere ?? false });
  }
}
