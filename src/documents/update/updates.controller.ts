import { Body, Controller, Headers, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { Invalid } from '../../errors/index.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { FormBody } from '../../http/forms.js';
import { IDEMPOTENCY_KEY } from '../../http/idempotency/idempotency.js';
import { Route } from '../../http/route.decorator.js';
import { recordOf } from '../document-record.js';
import { DocumentDto } from '../document.dto.js';
import { UpdateFileFields, UpdateFileService } from './update-file.service.js';
import {
  isMetadata,
  readMetadataUpdate,
  UPDATE_METADATA_BODY,
  UpdateMetadataDto,
  UpdateMetadataService,
} from './update-metadata.service.js';
import { toTextUpdate, UpdateTextDto, UpdateStrategyQuery } from './update-text.dto.js';
import { UpdateTextService } from './update-text.service.js';

@ApiTags('documents')
@Controller('documents')
export class UpdatesController {
  constructor(
    private readonly texts: UpdateTextService,
    private readonly files: UpdateFileService,
    private readonly metadataUpdates: UpdateMetadataService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post(':document_id/update_text')
  @Route({
    idempotency: 'own',
    operationId: 'updateText',
    permission: 'write',
    summary: 'Update the text of a document',
    audit: { action: 'document.update_text', subject: ({ params }) => [params['document_id']] },
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
  text(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Query() query: UpdateStrategyQuery,
    @Body() body: UpdateTextDto,
    @Headers('Idempotency-Key') key?: string,
  ): Promise<DocumentDto> {
    if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
      throw Invalid.at(
        ['header', 'idempotency-key'],
        'Value error, a key is 1 to 255 visible ASCII characters without spaces',
      );
    }
    return this.texts.update(scope, documentId, toTextUpdate(body, query, this.settings), key);
  }

  @Post(':document_id/update_file')
  @Route({
    operationId: 'updateFile',
    permission: 'write',
    summary: 'Update a document with a file',
    audit: { action: 'document.update_file', subject: ({ params }) => [params['document_id']] },
    description:
      'Appends the file to the document, or replaces the content with it. Returns the record with status `processing`. The current version stays searchable until the new one is complete, and is kept if the file cannot be parsed. `update_strategy` is a field of the form, or a parameter as in `update_text`. Earlier files stay in `storage_files`.',
    multipart: true,
    errors: {
      404: 'Document not found',
      409: 'The document is still being processed; try again later',
      415: 'Files of type application/x-msdownload cannot be read: convert the file to PDF, DOCX or plain text.',
    },
  })
  @FormBody({ name: 'file', description: 'The file.' }, UpdateFileFields)
  @ApiOkResponse({ type: DocumentDto })
  async file(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Query() { update_strategy }: UpdateStrategyQuery,
    @Req() request: FastifyRequest,
  ): Promise<DocumentDto> {
    return recordOf(scope, await this.files.update(scope, documentId, request, update_strategy));
  }

  @Post(':document_id/update_metadata')
  @Route({
    operationId: 'updateMetadata',
    permission: 'write',
    isData: isMetadata,
    summary: 'Update the metadata of a document',
    audit: { action: 'document.update_metadata', subject: ({ params }) => [params['document_id']] },
    description:
      'Merges metadata into the existing one by top-level key. Concurrent updates do not lose keys. Text and chunks are not changed.',
    carriesDocument: true,
    errors: { 404: 'Document not found' },
  })
  @ApiExtraModels(UpdateMetadataDto)
  @ApiBody(UPDATE_METADATA_BODY)
  @ApiOkResponse({ type: DocumentDto })
  async metadata(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Body() body: unknown,
  ): Promise<DocumentDto> {
    const update = readMetadataUpdate(body, this.settings);
    return recordOf(scope, await this.metadataUpdates.update(scope, documentId, update));
  }
}
