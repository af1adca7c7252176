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
  'By part of the name': { query: 'manual', limit: 20 },
  'With a metadata filter': {
    query: 'annual report',
    filters: { filename: { $regex: '\\.pdf$' } },
  },
})
export class SearchDocumentsRequest {
  @TextField({
    required: true,
    notBlank: true,
    maxLength: 1_024,
    description: 'Part of the file name, or words of it in any order. Matched literally, ignoring case.',
    example: 'annual report',
  })
  query: string;

  @IntegerField({
    min: 1,
    max: 100,
    nullable: true,
    description: 'Maximum number of documents.',
    example: 10,
  })
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
      'Returns documents whose file name contains the query or all of its words, best first: equal names, prefix matches, whole-word matches, substring matches, then words in any order.',
  })
  @ApiOkResponse({ type: DocumentDto, isArray: true })
  search(@CurrentScope() scope: Scope, @Body() body: SearchDocumentsRequest): Promise<DocumentDto[]> {
    const { query, filters: filter, folder_name: folders, folder_depth, end_user_id: endUserId } = body;
    const within = { filter, folders, folderDepth: folder_depth ?? 0, endUserId };
    return this.lists.search(scope, query, within, body.limit ?? DEFAULT_LIMIT);
  }
}
