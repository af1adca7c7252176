import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { DocumentService } from '../document.service.js';
import { FileDelivery } from './file-delivery.js';
import { FileLinks, FILES_PATH, latestFileOf } from './file-links.js';
import { DownloadUrlDto, DownloadUrlQuery, SignedFileQuery } from './files.dto.js';

const BYTES = {
  description: 'The bytes.',
  content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
};
const PART = { ...BYTES, status: 206, description: 'The part that `Range` asks for.' };

@ApiTags('documents')
@Controller()
export class FilesController {
  constructor(
    private readonly documents: DocumentService,
    private readonly delivery: FileDelivery,
    private readonly links: FileLinks,
  ) {}

  @Get('documents/:document_id/download_url')
  @Route({
    permission: 'read',
    summary: 'A link to the file of a document',
    description: 'The latest stored source. The link works without a key until it expires.',
    errors: [404],
  })
  @ApiOkResponse({ type: DownloadUrlDto })
  async downloadUrl(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Query() { expires_in }: DownloadUrlQuery,
  ): Promise<DownloadUrlDto> {
    const row = await this.documents.get(scope, documentId);
    const file = latestFileOf(row);
    return {
      document_id: row.external_id,
      download_url: this.links.linkTo(scope, file, expires_in),
      expires_in,
      filename: file.filename,
      content_type: file.contentType,
    };
  }

  @Get('documents/:document_id/file')
  @Route({
    permission: 'read',
    summary: 'The file of a document',
    description:
      'The latest stored source, streamed. One range of bytes at a time; types that a browser would run come as downloads.',
    errors: [404, 416],
  })
  @ApiOkResponse(BYTES)
  @ApiResponse(PART)
  async file(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.delivery.send(request, reply, latestFileOf(await this.documents.get(scope, documentId)));
  }

  @Get(FILES_PATH)
  @Route({
    permission: 'open',
    summary: 'The file of a link',
    description: 'What a download URL leads to.',
    errors: [403, 404, 416, 422],
  })
  @ApiOkResponse(BYTES)
  @ApiResponse(PART)
  async signedFile(
    @Query() { token }: SignedFileQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.delivery.send(request, reply, this.links.open(token));
  }
}
