import { ApiProperty } from '@nestjs/swagger';
import { Invalid, violation } from '../../errors/index.js';
import type { Filter } from '../../filters/filter.js';
import { Examples } from '../../http/input/examples.js';
import {
  ChoiceField,
  Field,
  FlagField,
  IntegerField,
  NestedField,
  NumberField,
} from '../../http/input/fields.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { eachOf, text } from '../../http/input/parse.js';
import { ATTRIBUTES_SCHEMA, type Attributes } from '../attributes.js';
import { FILTER_SCHEMA, parseAttributeFilter } from './filter.js';

const MAX_QUERY_BYTES = 32 * 1_024;

const MAX_QUERIES = 16;

export const DEFAULT_RESULTS = 10;
export const MAX_RESULTS = 50;

const RANKERS = ['none', 'auto', 'default-2024-11-15'] as const;

const query: Parse = (value, loc) => {
  const question = text(value, loc);
  if (question.trim() === '') throw violation(loc, 'isNotBlank');
  if (Buffer.byteLength(question) > MAX_QUERY_BYTES) throw violation(loc, 'maxBytes', MAX_QUERY_BYTES);
  return question;
};

/** Parses one query or several queries to a list. */
const queries: Parse = (value, loc, settings) => {
  if (!Array.isArray(value)) return [query(value, loc, settings)];
  if (value.length > MAX_QUERIES) throw violation(loc, 'arrayMaxSize', MAX_QUERIES);
  if (value.length === 0) throw Invalid.at(loc, 'Value error, at least one query is required');
  return eachOf((member: unknown, at) => query(member, at, settings))(value, loc);
};

export class RankingOptions {
  @ChoiceField({
    values: RANKERS,
    nullable: true,
    description: 'none: no reranking. Other values: the configured reranker.',
    openapi: { default: 'auto' },
  })
  ranker: (typeof RANKERS)[number] | null = null;

  @NumberField({
    nullable: true,
    min: 0,
    max: 1,
    description: 'Minimum score of a result.',
    openapi: { default: 0 },
  })
  score_threshold: number | null = null;
}

export function FilterField(): PropertyDecorator {
  return Field(
    {
      nullable: true,
      description: 'Filter on file attributes. ne and nin also match files without the attribute.',
      example: { type: 'eq', key: 'customer', value: 'acme' },
      parse: parseAttributeFilter,
    },
    FILTER_SCHEMA,
  );
}

const QUERY = { type: 'string', minLength: 1, maxLength: MAX_QUERY_BYTES };

@Examples({
  'With a filter': {
    query: 'When is the keeper relieved?',
    max_num_results: 5,
    filters: { type: 'eq', key: 'customer', value: 'acme' },
  },
})
export class SearchRequest {
  @Field(
    {
      required: true,
      description: `A question, or several whose results are merged: a passage keeps its best score. At most ${MAX_QUERIES}.`,
      example: 'When is the keeper relieved?',
      parse: queries,
    },
    { oneOf: [QUERY, { type: 'array', items: QUERY, minItems: 1, maxItems: MAX_QUERIES }] },
  )
  query: string[];

  @FlagField({ nullable: true, description: 'Accepted without effect.' })
  rewrite_query: boolean | null = null;

  @IntegerField({
    nullable: true,
    min: 1,
    max: MAX_RESULTS,
    description: 'Maximum number of results.',
    example: DEFAULT_RESULTS,
    openapi: { default: DEFAULT_RESULTS },
  })
  max_num_results: number | null = null;

  @FilterField()
  filters: Filter | null = null;

  @NestedField({ nullable: true, type: () => RankingOptions, description: 'Ranking options.' })
  ranking_options: RankingOptions | null = null;
}

export class SearchContentDto {
  @ApiProperty({ type: 'string', enum: ['text'], description: 'Content type.', example: 'text' })
  type: 'text';

  @ApiProperty({ description: 'The passage.', example: 'The keeper is relieved every Tuesday at noon.' })
  text: string;
}

export class SearchResultDto {
  @ApiProperty({ description: 'File id.', example: 'file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d' })
  file_id: string;

  @ApiProperty({ description: 'Name of the file.', example: 'harbour.txt' })
  filename: string;

  @ApiProperty({ minimum: 0, maximum: 1, description: 'Relevance score.', example: 0.72 })
  score: number;

  @ApiProperty({ ...ATTRIBUTES_SCHEMA, description: 'Attributes of the file.' })
  attributes: Attributes;

  @ApiProperty({ type: [SearchContentDto], description: 'The passage.' })
  content: SearchContentDto[];
}

export class SearchPageDto {
  @ApiProperty({ type: 'string', enum: ['vector_store.search_results.page'], description: 'Object type.' })
  object: 'vector_store.search_results.page';

  @ApiProperty({ type: [String], description: 'Queries.', example: ['When is the keeper relieved?'] })
  search_query: string[];

  @ApiProperty({
    type: [SearchResultDto],
    description: 'Passages by descending score; a file may have several.',
  })
  data: SearchResultDto[];

  @ApiProperty({ description: 'Always false: a search has one page.', example: false })
  has_more: boolean;

  @ApiProperty({ type: 'string', nullable: true, description: 'Always null.', example: null })
  next_page: string | null;
}
