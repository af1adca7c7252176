import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { AnswerSource } from '../answering/citations/source.js';

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

export const CITATIONS = {
  type: 'array',
  items: { type: 'object', additionalProperties: true },
  description:
    'With inline_citations: start, end (offsets into the completion in UTF-16 code units), text, document_id, chunk_number, filename, page_number (of the quote), quote. In stored chats and feedback, `withheld: true` marks a quote that is null because the key may not read the document (any more).',
} as const;
