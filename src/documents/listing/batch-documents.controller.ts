import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import type { DocumentRecord } from '../document-record.js';
import { DocumentDto } from '../document.dto.js';
import { BatchDocumentsRequest } from './batch-documents.dto.js';
import { ListService } from './list.service.js';

@ApiTags('documents')
@Controller('batch')
export class BatchDocumentsController {
  constructor(private readonly lists: ListService) {}

  @Post('documents')
  @Route({
    permission: 'read',
    summary: 'Documents by their identifiers',
    description:
      'The documents that are there, in the order in which they are named; unknown ones and those of other tenants are left out.',
  })
  @ApiOkResponse({ type: DocumentDto, isArray: true })
  documents(@CurrentScope() scope: Scope, @Body() body: BatchDocumentsRequest): Promise<DocumentRecord[]> {
    const { document_ids: documentIds, folder_name: folders, end_user_id: endUserId } = body;
    return this.lists.named(scope, documentIds, { folders, endUserId });
  }
}
