import { ApiExtraModels, ApiProperty, getSchemaPath, type ApiPropertyOptions } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import type { ChunkSizes } from '#reader';
import { usableSizes } from '../config/combinations.js';
import { Invalid, type Location, violation } from '../errors/index.js';
import { Field, IntegerField } from '../http/input/fields.js';
import { CrossField, readInput, type Parse } from '../http/input/input.pipe.js';
import { isJsonObject } from '../json/exact-json.js';

const LEAST_SIZE = 100;
const GREATEST_SIZE = 4_096;

@CrossField<StaticChunking>(['max_chunk_size_tokens', 'chunk_overlap_tokens'], (given) => {
  if (given.chunk_overlap_tokens * 2 <= given.max_chunk_size_tokens) return;
  throw Invalid.at(
    ['chunk_overlap_tokens'],
    'Value error, chunk_overlap_tokens must be at most half of max_chunk_size_tokens',
  );
})
export class StaticChunking {
  @IntegerField({
    required: true,
    min: LEAST_SIZE,
    max: GREATEST_SIZE,
    description: 'Tokens of the embedding model in a chunk, limited to the input length of a local model.',
    example: 200,
  })
  max_chunk_size_tokens: number;

  @IntegerField({
    required: true,
    min: 0,
    max: GREATEST_SIZE,
    description: 'Tokens that a chunk repeats from the previous one, at most half of max_chunk_size_tokens.',
    example: 50,
  })
  chunk_overlap_tokens: number;
}

export class ChunkingStrategyDto {
  @ApiProperty({
    type: 'string',
    enum: ['static', 'other'],
    description: 'static: the sizes in `static`. other: the configured sizes.',
    example: 'static',
  })
  type: 'static' | 'other';

  @ApiProperty({ type: StaticChunking, required: false, description: 'Chunk sizes used.' })
  static?: StaticChunking;
}

/**
 * Returns the requested chunk sizes, limited to the maximum of the model; null for the configured sizes. The sizes may
 * be beside `type` instead of inside `static`, as in an example of OpenAI's reference.
 */
const parseChunking: Parse = (value, loc: Location, settings): ChunkSizes | null => {
  if (!isJsonObject(value)) throw violation(loc, 'isJsonObject');
  const { type } = value;
  if (type === 'auto') return null;
  if (type !== 'static') throw violation([...loc, 'type'], 'isIn', ['auto', 'static']);
  const [given, at] =
    value['static'] === undefined && 'max_chunk_size_tokens' in value
      ? [value, loc]
      : [value['static'], [...loc, 'static']];
  const sizes = readInput(StaticChunking, given, at, settings);
  return usableSizes({ size: sizes.max_chunk_size_tokens, overlap: sizes.chunk_overlap_tokens }, settings);
};

const SCHEMA: ApiPropertyOptions = {
  oneOf: [
    { type: 'object', required: ['type'], properties: { type: { type: 'string', enum: ['auto'] } } },
    {
      type: 'object',
      required: ['type', 'static'],
      properties: {
        type: { type: 'string', enum: ['static'] },
        static: { $ref: getSchemaPath(StaticChunking) },
      },
    },
  ],
};

/** Chunking strategy in a request, parsed to chunk sizes. */
export function ChunkingField(): PropertyDecorator {
  return Field(
    {
      nullable: true,
      description: 'How files are split. auto or unset: as configured.',
      example: { type: 'static', static: { max_chunk_size_tokens: 200, chunk_overlap_tokens: 50 } },
      parse: parseChunking,
    },
    SCHEMA,
  );
}

/** Adds the schema that a {@link ChunkingField} refers to. Needed on every class with such a field. */
export function TakesChunking(): ClassDecorator {
  return applyDecorators(ApiExtraModels(StaticChunking));
}

export function toStrategyDto(sizes: ChunkSizes | null): ChunkingStrategyDto {
  if (sizes === null) return { type: 'other' };
  const { size, overlap } = sizes;
  return { type: 'static', static: { max_chunk_size_tokens: size, chunk_overlap_tokens: overlap } };
}
