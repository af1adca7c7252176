import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { RetrievalPlan } from '../retrieval/retrieval.types.js';
import type { CitationEntry } from '../answering/citations/citations.js';
import type { Entity } from '../answering/entities/entity.js';
import { ANSWERED, CITATIONS, CompletionSourceDto, MODEL_FAILURE } from '../chats/evidence.dto.js';

/** A thing that the question names. */
export class EntityDto implements Entity {
  @ApiProperty({ description: 'Name in the question.', example: 'the Observatory' })
  label: string;

  @ApiProperty({ description: 'Type, as the rules of the request name it.', example: 'ORGANIZATION' })
  type: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Properties that the model found.',
  })
  properties: Readonly<Record<string, unknown>>;

  @ApiProperty({ description: 'The name under which its variants are one.', example: 'Torvig Observatory' })
  canonical: string;

  @ApiProperty({ type: [String], description: 'All names of the thing.', example: ['the Observatory'] })
  variants: readonly string[];
}

export class CompletionMetadataDto {
  @ApiProperty({
    description: 'The model that answered; `extractive` for quotations without a model.',
    example: 'extractive',
  })
  model: string;

  @ApiProperty({ description: 'Provider of the model.', example: 'extractive' })
  provider: string;

  @ApiProperty({ type: 'integer', description: 'Number of chunks in the prompt.', example: 4 })
  context_chunks: number;

  @ApiProperty({
    type: 'integer',
    description: 'Number of chunks omitted to fit the context window.',
    example: 0,
  })
  dropped_chunks: number;

  @ApiPropertyOptional(CITATIONS)
  citations?: readonly CitationEntry[];

  @ApiPropertyOptional({
    type: [EntityDto],
    description: 'Entities of the question.',
  })
  entities?: readonly Entity[];

  @ApiPropertyOptional({
    type: String,
    description: 'Reasoning of the model, if the provider returns it. Not stored in chats.',
  })
  reasoning?: string;

  @ApiPropertyOptional({
    type: 'boolean',
    description:
      'Whether the model refused to answer. The completion is then the text of its refusal, also with a `schema`.',
    example: true,
  })
  refused?: boolean;

  @ApiPropertyOptional(ANSWERED)
  answered?: boolean;

  @ApiPropertyOptional(MODEL_FAILURE)
  model_failure?: string;

  @ApiPropertyOptional({
    type: [String],
    description:
      'Without a language model: names, words with digits and rare words of the question that the quoted passages do not contain. The completion begins with a sentence that names them.',
    example: ['Contoso'],
  })
  missing_words?: readonly string[];

  @ApiPropertyOptional({
    type: [String],
    description: 'Notes on omissions, for example missing entities because of invalid output of the model.',
  })
  notes?: readonly string[];

  @ApiProperty({
    type: 'integer',
    description: 'Number of selected documents that are still being processed and were not searched.',
    example: 0,
  })
  documents_processing: number;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'With `chat_id`: index of the answer among the messages of the chat.',
    example: 1,
  })
  message_index?: number;

  @ApiPropertyOptional({
    type: 'integer',
    description: 'With `chat_id`: revision of the chat since this answer.',
    example: 1,
  })
  chat_revision?: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: 'Duration of each step in milliseconds.',
    example: { embed: 6.1, db: 4.2, llm: 12.9 },
  })
  timings_ms: Readonly<Record<string, number>>;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'With `X-Explain: true` and the permission `admin`: the search strategy and its counts.',
  })
  plan?: RetrievalPlan;
}

export class CompletionDto {
  @ApiProperty({
    oneOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }],
    description: 'The answer; with `schema`, an object that is valid against it.',
    example: 'Hold the power button for ten seconds.',
  })
  completion: unknown;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    description: 'Token usage, summed over all model calls of this request.',
    example: { prompt_tokens: 812, completion_tokens: 14, total_tokens: 826 },
  })
  usage: Record<'prompt_tokens' | 'completion_tokens' | 'total_tokens', number>;

  @ApiProperty({ type: 'string', nullable: true, description: 'Finish reason.', example: 'stop' })
  finish_reason: string | null;

  @ApiProperty({
    type: [CompletionSourceDto],
    description: 'All chunks in the prompt, in order.',
  })
  sources: CompletionSourceDto[];

  @ApiProperty({ type: CompletionMetadataDto, nullable: true, description: 'Metadata of the answer.' })
  metadata: CompletionMetadataDto;
}
