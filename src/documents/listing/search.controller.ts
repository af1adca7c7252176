import { Body, Controller, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import type { DocumentRecord } from '../document-record.js';
import { DocumentDto } from '../document.dto.js';
import { SearchDocumentsRequest, searchRequestOf } from './search.dto.js';
import { ListService } from './list.service.js';

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
  search(@CurrentScope() scope: Scope, @Body() body: SearchDocumentsRequest): Promise<DocumentRecord[]> {
    return this.lists.search(scope, searchRequestOf(body));
  }
}
