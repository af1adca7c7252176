import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { RetrievalPlan } from '../retrieval/retrieval.types.js';
import type { CitationEntry } from './citations/citations.js';
import type { Entity } from './entities/entity.js';

export class CompletionSourceDto {
  @ApiProperty({ description: 'Document of the chunk.', example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a' })
  document_id: string;

  @ApiProperty({ type: 'integer', description: 'Position in the document, from 0.', example: 3 })
  chunk_number: number;

  @ApiProperty({ type: 'number', nullable: true, description: 'Its score; null for padding.', example: 0.83 })
  score: number | null;
}

export class CompletionMetadataDto {
  @ApiProperty({ description: 'The model that answered.', example: 'extractive' })
  model: string;

  @ApiProperty({ description: 'Its provider.', example: 'extractive' })
  provider: string;

  @ApiProperty({ type: 'integer', description: 'Chunks that were put before the model.', example: 4 })
  context_chunks: number;

  @ApiProperty({
    type: 'integer',
    description: 'Chunks that were left out to fit the context window.',
    example: 0,
  })
  dropped_chunks: number;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description:
      'With inline_citations: start, end (offsets into the completion in UTF-16 code units), text, document_id, chunk_number, filename, page_number (of the quote), quote.',
  })
  citations?: readonly CitationEntry[];

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Entities of the question: label, type, properties, canonical, variants.',
  })
  entities?: readonly Entity[];

  @ApiPropertyOptional({
    type: String,
    description:
      'Reasoning of the model before its answer, if the provider returns it. Chats do not store it.',
  })
  reasoning?: string;

  @ApiPropertyOptional({
    type: 'boolean',
    description:
      'Without a language model: whether an answer was found. False: the completion says that none was found.',
    example: true,
  })
  answered?: boolean;

  @ApiPropertyOptional({
    type: [String],
    description: 'What was left out, such as entities that the model did not answer in the shape asked for.',
  })
  notes?: readonly string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Milliseconds of the steps that ran.',
    example: { embed: 6.1, db: 4.2, llm: 12.9 },
  })
  timings_ms: Readonly<Record<string, number>>;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'With `X-Explain: true` and the scope `admin`: the path that the search took and what it counted.',
  })
  plan?: RetrievalPlan;
}

export class CompletionDto {
  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
    description: 'The answer; an object that is valid against `schema` when one was given.',
    example: 'Hold the power button for ten seconds.',
  })
  completion: unknown;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Tokens, summed over every call that was made for this request.',
    example: { prompt_tokens: 812, completion_tokens: 14, total_tokens: 826 },
  })
  usage: Record<'prompt_tokens' | 'completion_tokens' | 'total_tokens', number>;

  @ApiProperty({ type: 'string', nullable: true, description: 'Why the answer ended.', example: 'stop' })
  finish_reason: string | null;

  @ApiProperty({
    type: [CompletionSourceDto],
    description: 'Every chunk that was put before the model, in the order given to it.',
  })
  sources: CompletionSourceDto[];

  @ApiProperty({ type: CompletionMetadataDto, nullable: true, description: 'How the answer came about.' })
  metadata: CompletionMetadataDto;
}
