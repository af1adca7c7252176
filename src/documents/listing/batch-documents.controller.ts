import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Examples } from '../../http/input/examples.js';
import { TextListField } from '../../http/input/fields.js';
import { Route } from '../../http/route.decorator.js';
import { EndUserField, FolderNamesField } from '../../retrieval/selection-fields.dto.js';
import { DocumentDto } from '../document.dto.js';
import { MAX_DOCUMENTS } from '../document-removal.js';
import { ListService } from './list.service.js';

@Examples({ 'By id': { document_ids: ['an id from POST /documents'] } })
export class BatchDocumentsRequest {
  @TextListField({
    required: true,
    maxSize: MAX_DOCUMENTS,
    description: `Document ids, at most ${MAX_DOCUMENTS}. Unknown ids are omitted.`,
    example: ['8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a'],
  })
  document_ids: string[];

  @FolderNamesField()
  folder_name: string[] | null = null;

  @EndUserField()
  end_user_id: string | null = null;
}

@ApiTags('documents')
@Controller('batch')
export class BatchDocumentsController {
  constructor(private readonly lists: ListService) {}

  @Post('documents')
  @Route({
    permission: 'read',
    summary: 'Get documents by id',
    description:
      'Returns documents in the requested order. Unknown documents and documents of other tenants are omitted.',
  })
  @ApiOkResponse({ type: DocumentDto, isArray: true })
  documents(@CurrentScope() scope: Scope, @Body() body: BatchDocumentsRequest): Promise<DocumentDto[]> {
    const { document_ids: documentIds, folder_name: folders, end_user_id: endUserId } = body;
    return this.lists.named(scope, documentIds, { folders, endUserId });
  }
}
