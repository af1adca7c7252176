import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { violation } from '../../errors/index.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { IntegerField, TextField } from '../../http/input/fields.js';
import { FileLinks, FILES_PATH } from '../../http/links.js';
import { Route } from '../../http/route.decorator.js';
import { DocumentService } from '../document.service.js';
import { fileOf } from './document-file.js';
import { FileContents } from './file-contents.js';
import { ApiFileResponses, sendFile } from './file-delivery.js';

/** Maximum lifetime of a link: a week, as is usual for presigned URLs. */
const MAX_SECONDS = 7 * 24 * 60 * 60;

/** Maximum lifetime of a link of a browser token, which itself lives for an hour at most. */
const MAX_TOKEN_SECONDS = 60 * 60;

export class DownloadUrlQuery {
  @IntegerField({
    inText: true,
    positive: true,
    max: MAX_SECONDS,
    description: 'Lifetime of the URL in seconds.',
    openapi: { default: 3600 },
  })
  expires_in = 3_600;
}

export class DownloadUrlDto {
  @ApiProperty({
    description: 'Document id.',
    example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a',
  })
  document_id: string;

  @ApiProperty({
    description: 'URL that works without a key. It ends with the key that made it.',
    example: 'http://127.0.0.1:8000/files?token=WyJk...',
  })
  download_url: string;

  @ApiProperty({ type: 'integer', description: 'Lifetime in seconds.', example: 3600 })
  expires_in: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'File name.', example: 'manual.pdf' })
  filename: string | null;

  @ApiProperty({ description: 'Media type.', example: 'application/pdf' })
  content_type: string;
}

export class SignedFileQuery {
  @TextField({ required: true, description: 'Token of a download URL.' })
  token: string;
}

@ApiTags('documents')
@Controller()
export class FilesController {
  constructor(
    private readonly documents: DocumentService,
    private readonly contents: FileContents,
    private readonly links: FileLinks,
  ) {}

  @Get('documents/:document_id/download_url')
  @Route({
    operationId: 'createDownloadUrl',
    permission: 'read',
    token: 'download',
    summary: 'Create a download URL for a document file',
    audit: {
      action: 'document.link',
      subject: ({ params, query: { expires_in } }) => [
        params['document_id'],
        typeof expires_in === 'string' ? `expires_in=${expires_in}` : 'expires_in=3600',
      ],
    },
    description:
      'The URL works without a key until it expires or the file is replaced, the calling key stops working, or may no longer read the document. See GET /documents/{document_id}/file.',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: DownloadUrlDto })
  async downloadUrl(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Query() { expires_in }: DownloadUrlQuery,
  ): Promise<DownloadUrlDto> {
    if (scope.policy !== undefined && expires_in > MAX_TOKEN_SECONDS) {
      throw violation(['query', 'expires_in'], 'max', MAX_TOKEN_SECONDS);
    }
    const row = await this.documents.get(scope, documentId);
    const file = fileOf(row);
    return {
      document_id: row.external_id,
      download_url: this.links.linkTo(scope, row.external_id, file.id, expires_in),
      expires_in,
      filename: file.filename,
      content_type: file.contentType,
    };
  }

  @Get('documents/:document_id/file')
  @Route({
    operationId: 'getDocumentFile',
    permission: 'read',
    token: 'download',
    summary: 'Download the file of a document',
    description:
      'Streams the latest stored source, or the text if text updates replaced it. Supports one byte range per request. Types that a browser would execute, and files that are not parsed yet, are sent as attachments.',
    errors: {
      404: 'Document not found',
      416: 'The range must be a single range within the 48219 bytes of the file',
    },
  })
  @ApiFileResponses()
  async file(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await sendFile(request, reply, async () =>
      this.contents.of(scope, await this.documents.get(scope, documentId)),
    );
  }

  @Get(FILES_PATH)
  @Route({
    operationId: 'getSignedFile',
    permission: 'open',
    summary: 'Download a file by URL token',
    description: 'Target of download URLs; needs no key.',
    errors: {
      403: 'The link is not valid or has expired',
      404: 'The file does not exist',
      416: 'The range must be a single range within the 48219 bytes of the file',
      429: 'Too many wrong keys from this address',
    },
  })
  @ApiFileResponses()
  async signedFile(
    @Query() { token }: SignedFileQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { scope, documentId, fileId } = await this.links.open(token, request.ip);
    await sendFile(request, reply, () => this.contents.named(scope, documentId, fileId));
  }
}
