import { Controller, Param, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { FormBody } from '../../http/forms.js';
import { Route } from '../../http/route.decorator.js';
import { recordOf } from '../document-record.js';
import { DocumentDto } from '../document.dto.js';
import { UpdateFileFields, UpdateFileService } from './update-file.service.js';

@ApiTags('documents')
@Controller('documents')
export class UpdateFileController {
  constructor(private readonly updates: UpdateFileService) {}

  @Post(':document_id/update_file')
  @Route({
    permission: 'write',
    summary: 'Update a document with a file',
    description:
      'Appends the file to the document, or replaces the content with it. Returns the record with status `processing`. The current version stays searchable until the new one is complete, and is kept if the file cannot be parsed. Earlier files stay in `storage_files`.',
    multipart: true,
    errors: { 404: 'Document not found', 409: 'The document is still being processed; try again later' },
  })
  @FormBody({ name: 'file', description: 'The file.' }, UpdateFileFields)
  @ApiOkResponse({ type: DocumentDto })
  async update(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Req() request: FastifyRequest,
  ): Promise<DocumentDto> {
    return recordOf(await this.updates.update(scope, documentId, request));
  }
}
