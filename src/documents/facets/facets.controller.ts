import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../auth/scope.js';
import { CurrentScope } from '../../http/current-scope.decorator.js';
import { Route } from '../../http/route.decorator.js';
import { FacetQuery, FieldPath, FieldsDto, ValuesDto } from './facet.dto.js';
import { FacetService } from './facet.service.js';

@ApiTags('metadata')
@Controller('metadata/fields')
export class FacetsController {
  constructor(private readonly facets: FacetService) {}

  @Get()
  @Route({
    operationId: 'listMetadataFields',
    permission: 'read',
    token: 'documents',
    summary: 'List the metadata fields of documents',
    description:
      'Names, types and counts, within a filter, folders and what the key may read. Counts the newest 10,000 documents.',
  })
  @ApiOkResponse({ type: FieldsDto })
  fields(@CurrentScope() scope: Scope, @Query() query: FacetQuery): Promise<FieldsDto> {
    return this.facets.fields(scope, query);
  }

  @Get(':name/values')
  @Route({
    operationId: 'listMetadataValues',
    permission: 'read',
    token: 'documents',
    summary: 'List the values of a metadata field',
    description:
      'Strings of at most 256 characters, numbers and booleans with their counts, the most frequent first. An element of an array is a value. Counts the newest 100,000 documents.',
  })
  @ApiOkResponse({ type: ValuesDto })
  values(
    @CurrentScope() scope: Scope,
    @Param() { name }: FieldPath,
    @Query() query: FacetQuery,
  ): Promise<ValuesDto> {
    return this.facets.values(scope, name, query);
  }
}
