import { ApiProperty } from '@nestjs/swagger';
import { METADATA_TYPES, type MetadataType } from '../../metadata/metadata-type.js';
import type { Filter } from '../../filters/filter.js';
import { parseFilter } from '../../filters/parse/parse-filter.js';
import { Invalid } from '../../errors/index.js';
import { parseJson } from '../../json/exact-json.js';
import { IntegerField, TextField } from '../../http/input/fields.js';
import { SelectionQuery } from '../../retrieval/selection-fields.dto.js';

export const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const MAX_PREFIX = 256;

export class FacetQuery extends SelectionQuery {
  @TextField({
    description:
      'Metadata filter as JSON, such as {"year": {"$gte": 2024}}. See docs/guide/filters.md. Only documents that match are counted.',
    parse: (value, loc) => {
      let filter: unknown;
      try {
        filter = parseJson(value as string);
      } catch {
        throw Invalid.at(loc, 'a filter in a query string expects JSON');
      }
      return parseFilter(filter, loc);
    },
  })
  filters?: Filter | null;

  @TextField({
    maxLength: MAX_PREFIX,
    description: 'Returns what begins with this text, ignoring case.',
  })
  prefix?: string;

  @IntegerField({
    inText: true,
    min: 1,
    max: MAX_LIMIT,
    description: 'Maximum number of items.',
    openapi: { default: DEFAULT_LIMIT },
  })
  limit = DEFAULT_LIMIT;

  @TextField({ description: '`next_cursor` of the previous page.' })
  cursor?: string;
}

export class FieldPath {
  @TextField({
    required: true,
    description: 'Name of the field, as a filter names it: `department`, `authors.name`, `filename`.',
    example: 'department',
  })
  name: string;
}

export class TypeCountDto {
  @ApiProperty({
    enum: METADATA_TYPES,
    enumName: 'MetadataType',
    description: 'As `$type` of a filter names it.',
  })
  type: MetadataType;

  @ApiProperty({ description: 'Number of documents that match `{name: {"$type": type}}`.' })
  count: number;
}

export class FieldDto {
  @ApiProperty({ description: 'As a filter names it.', example: 'authors.name' })
  name: string;

  @ApiProperty({ description: 'Number of documents with the field.' })
  count: number;

  @ApiProperty({
    type: TypeCountDto,
    isArray: true,
    description: 'An array has the types of its elements too.',
  })
  types: TypeCountDto[];
}

class FacetsDto {
  @ApiProperty({ description: 'Number of documents that were counted.' })
  documents: number;

  @ApiProperty({
    description:
      'false: more documents match than are counted, or there are more than 10,000 items. The newest documents are counted. A filter, folder or prefix makes the answer complete.',
  })
  is_complete: boolean;

  @ApiProperty({ type: 'string', nullable: true, description: '`cursor` of the next page. null: no more.' })
  next_cursor: string | null;
}

export class FieldsDto extends FacetsDto {
  @ApiProperty({ type: FieldDto, isArray: true, description: 'By name.' })
  fields: FieldDto[];
}

export class ValueDto {
  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }],
    description: 'A string, number or boolean.',
  })
  value: unknown;

  @ApiProperty({ description: 'Number of documents with the value.' })
  count: number;
}

export class ValuesDto extends FacetsDto {
  @ApiProperty({ type: ValueDto, isArray: true, description: 'The most frequent first.' })
  values: ValueDto[];
}
