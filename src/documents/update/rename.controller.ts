import { Body, Controller, Param, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { recordOf } from '../document-record.js';
import { DocumentDto } from '../document.dto.js';
import { RenameDocumentRequest, RenameService } from './rename.service.js';

@ApiTags('documents')
@Controller('documents')
export class RenameController {
  constructor(private readonly names: RenameService) {}

  @Patch(':document_id')
  @Route({
    permission: 'write',
    summary: 'Rename a document',
    description:
      'Changes the file name. The text stays searchable while a job changes the title in the contexts of the chunks.',
    errors: { 404: 'Document not found' },
  })
  @ApiOkResponse({ type: DocumentDto })
  async rename(
    @CurrentScope() scope: Scope,
    @Param('document_id') documentId: string,
    @Body() { filename }: RenameDocumentRequest,
  ): Promise<DocumentDto> {
    return recordOf(await this.names.rename(scope, documentId, filename));
  }
}
