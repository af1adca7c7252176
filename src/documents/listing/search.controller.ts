import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import type { Filter } from '../../filters/filter.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Examples } from '../../http/input/examples.js';
import { IntegerField, TextField } from '../../http/input/fields.js';
import { Route } from '../../http/route.decorator.js';
import {
  EndUserField,
  FilterField,
  FolderDepthField,
  FolderNamesField,
} from '../../retrieval/selection-fields.dto.js';
import { DocumentDto } from '../document.dto.js';
import { ListService } from './list.service.js';

const DEFAULT_LIMIT = 10;

@Examples({
  'By a part of the name': { query: 'manual', limit: 20 },
  'Filtered by what is known of them': {
    query: 'annual report',
    filters: { filename: { $regex: '\\.pdf$' } },
  },
})
export class SearchDocumentsRequest {
  @TextField({
    required: true,
    notBlank: true,
    maxLength: 1_024,
    description:
      'A part of the file name, taken literally and without regard to case, or words of it in any order.',
    example: 'annual report',
  })
  query: string;

  @IntegerField({ min: 1, max: 100, nullable: true, description: 'Most documents to return.', example: 10 })
  limit: number | null = null;

  @FilterField()
  filters: Filter | null = null;

  @FolderNamesField()
  folder_name: string[] | null = null;

  @FolderDepthField()
  folder_depth: number | null = null;

  @EndUserField()
  end_user_id: string | null = null;
}

@ApiTags('documents')
@Controller('search')
export class SearchController {
  constructor(private readonly lists: ListService) {}

  @Post('documents')
  @Route({
    permission: 'read',
    summary: 'Search documents by file name',
    description:
      'Documents whose file name contains the query or has all of its words, best first: the name itself, names that start with it, that have it as whole words, as a part, in another order.',
  })
  @ApiOkResponse({ type: DocumentDto, isArray: true })
  search(@CurrentScope() scope: Scope, @Body() body: SearchDocumentsRequest): Promise<DocumentDto[]> {
    const { query, filters: filter, folder_name: folders, folder_depth, end_user_id: endUserId } = body;
    const within = { filter, folders, folderDepth: folder_depth ?? 0, endUserId };
    return this.lists.search(scope, query, within, body.limit ?? DEFAULT_LIMIT);
  }
}
