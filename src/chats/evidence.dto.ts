import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import type { AnswerSource } from '../answering/citations/source.js';
import type { Citation } from './evidence.js';

/** A passage in the prompt of an answer. */
export class CompletionSourceDto implements AnswerSource {
  @ApiProperty({ description: 'Id of the document.', example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a' })
  document_id: string;

  @ApiProperty({ type: 'integer', description: 'Chunk number in the document, from 0.', example: 3 })
  chunk_number: number;

  @ApiProperty({
    type: 'number',
    nullable: true,
    description: 'Score of the chunk; null for padding.',
    example: 0.83,
  })
  score: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'File name of the document.',
    example: 'manual.pdf',
  })
  filename: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: '1-based page; null when unknown or without pages.',
    example: 3,
  })
  page_number: number | null;

  @ApiProperty({
    description: 'Whether the source is a page image; `chunk_number` is then the page number - 1.',
    example: false,
  })
  is_image: boolean;

  @ApiProperty({
    description:
      'Start of the text, at most 300 characters and cut between words; empty for a page without text.',
    example: 'Hold the power button for ten seconds until the light blinks.',
  })
  excerpt: string;

  @ApiPropertyOptional({
    type: 'boolean',
    description:
      'In stored chats and feedback. true: the excerpt is withheld, because the key may not read the document (any more). Otherwise absent.',
  })
  withheld?: true;
}

/** A statement of an answer with the passage that supports it. */
export class CitationDto implements Citation {
  @ApiProperty({
    type: 'integer',
    description: 'Start of the citation in the completion, in UTF-16 code units.',
    example: 37,
  })
  start: number;

  @ApiProperty({ type: 'integer', description: 'End of the citation (exclusive).', example: 57 })
  end: number;

  @ApiProperty({ description: 'Text of the citation.', example: '[manual.pdf, page 3]' })
  text: string;

  @ApiProperty({ description: 'Id of the document.', example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a' })
  document_id: string;

  @ApiProperty({ type: 'integer', description: 'Chunk number in the document, from 0.', example: 3 })
  chunk_number: number;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'File name of the document.',
    example: 'manual.pdf',
  })
  filename: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: '1-based page of the quote; null when unknown or without pages.',
    example: 3,
  })
  page_number: number | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'Sentence of the chunk that best supports the statement. null for a page without text, and where it is withheld.',
    example: 'Hold the power button for ten seconds until the light blinks.',
  })
  quote: string | null;

  @ApiPropertyOptional({
    description: 'In chats: id of the file in the OpenAI protocol, of an answer there.',
  })
  file_id?: string;

  @ApiPropertyOptional({
    type: 'boolean',
    description:
      'In stored chats and feedback. true: the quote is withheld, because the key may not read the document (any more). Otherwise absent.',
  })
  withheld?: true;
}

export const ANSWERED: ApiPropertyOptions = {
  type: 'boolean',
  description:
    'Without a language model: whether an answer was found. If false, the text states that none was found.',
  example: true,
};

export const MODEL_FAILURE: ApiPropertyOptions = {
  type: 'string',
  description: 'With `quote_on_failure`: why the model failed. The text then quotes passages.',
  example: 'The provider of gpt-4o-mini could not be reached',
};

export const CITATIONS: ApiPropertyOptions = {
  type: [CitationDto],
  description: 'With `inline_citations`: the citations in the completion, in order.',
};
