import { Body, Controller, Inject, Param, Post } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { recordOf } from '../document-record.js';
import { DocumentDto } from '../document.dto.js';
import {
  readMetadataUpdate,
  UPDATE_METADATA_BODY,
  UpdateMetadataDto,
  UpdateMetadataService,
} from './update-metadata.service.js';

@ApiTags('documents')
@Controller('documents')
export class UpdateMetadataController {
  constructor(
    private readonly updates: UpdateMetadataService,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post(':document_id/update_metadata')
  @Route({
    permission: 'write',
    summary: 'Update the metadata of a document',
    description:
      'Merges metadata into the existing one by top-level key. Concurrent updates do not lose keys. Text and chunks are not changed.',
    carriesDocument: true,
    errors: { 404: 'Document not found' },
  })
  @ApiExtraModels(UpdateMetadataDto)
  @ApiBody(UPDATE_METADATA_BODY)
  @ApiOkResponse({ type: DocumentDto })
  async update(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Body() body: unknown,
  ): Promise<DocumentDto> {
    const update = readMetadataUpdate(body, this.settings);
    return recordOf(await this.updates.update(scope, documentId, update));
  }
}
