import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { selectionOf } from '../../retrieval/selection-fields.dto.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { SuggestionService } from './suggestion.service.js';
import { SuggestionsDto, SuggestionsQuery } from './suggestions.dto.js';

@ApiTags('completion')
@Controller('suggestions')
export class SuggestionsController {
  constructor(private readonly suggestions: SuggestionService) {}

  @Get()
  @Route({
    operationId: 'suggestQuestions',
    permission: 'query',
    token: 'suggestions',
    summary: 'Suggest questions that the documents answer',
    description:
      'Made from sentences of the newest documents, and from headings that a sentence repeats, without a model call.',
  })
  @ApiOkResponse({ type: SuggestionsDto })
  async suggest(@CurrentScope() scope: Scope, @Query() query: SuggestionsQuery): Promise<SuggestionsDto> {
    return { questions: await this.suggestions.suggest(scope, selectionOf(query), query.limit) };
  }
}
