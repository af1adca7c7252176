import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type {
  ChunkGroup,
  RetrievalPlan,
  Retrieved,
  RetrievedChunk,
  RetrievedDocument,
} from './retrieval.types.js';

/** A number from 0 to 1. */
const InUnit = (description: string, example: number): PropertyDecorator =>
  ApiProperty({ type: 'number', minimum: 0, maximum: 1, description, example });

export class FusionWeightsDto {
  @InUnit('Of how alike the vectors are.', 0.74)
  dense: number;

  @InUnit('Of the words that both have.', 0.26)
  lexical: number;
}

export class ScorePartsDto {
  @InUnit(
    'How alike the vectors of the question and the passage are: (1 + cosine) / 2, or as the embedding model has it.',
    0.79,
  )
  dense: number;

  @InUnit('BM25 as a share of the most that a passage could reach for this question.', 0.94)
  lexical: number;

  @ApiProperty({
    type: FusionWeightsDto,
    description:
      'What the two weigh for this question. Words weigh more the less of it the embedding model reads.',
  })
  weights: FusionWeightsDto;
}

export class ChunkResultDto {
  @ApiProperty({
    description: 'The text, or the image in the form that `output_format` asks for.',
    example: 'Hold the power button for ten seconds to set the device back to factory settings.',
  })
  content: string;

  @InUnit('Falls with the rank. Comparable between requests unless it was reranked; 0 for padding.', 0.83)
  score: number;

  @ApiProperty({
    description: 'The document that the chunk belongs to.',
    example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a',
  })
  document_id: string;

  @ApiProperty({
    type: 'integer',
    description: 'Position in the document, from 0. Of a page image: page number - 1.',
    example: 3,
  })
  chunk_number: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Metadata of the document overlaid with that of the chunk: `is_image`, `page_number` from 1 where known, `first_page_number` where the content begins on an earlier page, `start_offset` and `end_offset` of a text chunk in the text of the document.',
    example: { department: 'research', is_image: false, page_number: 2, start_offset: 512, end_offset: 1034 },
  })
  metadata: Readonly<Record<string, unknown>>;

  @ApiProperty({ description: 'Media type of the chunk.', example: 'text/plain' })
  content_type: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Name of the document.',
    example: 'manual.pdf',
  })
  filename: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Signed URL that expires; set for images when `output_format` is `url`.',
    example: null,
  })
  download_url: string | null;

  @ApiProperty({ description: 'Whether the chunk is a neighbour of a match instead of one.', example: false })
  is_padding: boolean;

  @ApiPropertyOptional({
    type: ScorePartsDto,
    description:
      'With `explain`, of passages that match: the sum of both parts, each with its weight, is the score of the search. With `use_colpali` `score` is .43 + .5 x that; a reranker replaces it.',
  })
  score_parts?: ScorePartsDto;
}

export class ChunkGroupDto {
  @ApiProperty({ type: ChunkResultDto, description: 'The match.' })
  main_chunk: ChunkResultDto;

  @ApiProperty({
    type: [ChunkResultDto],
    description: 'Its neighbours within `padding` that are no matches themselves, in chunk order.',
  })
  padding_chunks: ChunkResultDto[];

  @ApiProperty({ type: 'integer', description: '1 + the number of padding chunks.', example: 1 })
  total_chunks: number;
}

export class GroupedChunksDto {
  @ApiProperty({
    type: [ChunkResultDto],
    description: 'Each chunk once: matches in rank order, then padding in the order of its groups.',
  })
  chunks: ChunkResultDto[];

  @ApiProperty({ type: [ChunkGroupDto], description: 'One group for each match, in rank order.' })
  groups: ChunkGroupDto[];

  @ApiProperty({ type: 'integer', description: 'Number of chunks in `chunks`.', example: 4 })
  total_results: number;

  @ApiProperty({ description: 'Whether any of them is padding.', example: false })
  has_padding: boolean;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'With `X-Explain: true` and the scope `admin`: `plan`, the path that the search took and what it counted.',
  })
  metadata?: { readonly plan: RetrievalPlan };
}

export function toChunkResultDto(chunk: RetrievedChunk): ChunkResultDto {
  return {
    content: chunk.content,
    score: chunk.score,
    document_id: chunk.documentId,
    chunk_number: chunk.chunkNumber,
    metadata: chunk.metadata,
    content_type: chunk.contentType,
    filename: chunk.filename,
    download_url: chunk.downloadUrl,
    is_padding: chunk.isPadding,
    ...(chunk.scoreParts === undefined ? {} : { score_parts: chunk.scoreParts }),
  };
}

export function toGroupedChunksDto({ chunks, groups }: Retrieved): GroupedChunksDto {
  return {
    chunks: chunks.map(toChunkResultDto),
    groups: groups.map(toChunkGroupDto),
    total_results: chunks.length,
    has_padding: chunks.some(({ isPadding }) => isPadding),
  };
}

function toChunkGroupDto({ mainChunk, paddingChunks }: ChunkGroup): ChunkGroupDto {
  return {
    main_chunk: toChunkResultDto(mainChunk),
    padding_chunks: paddingChunks.map(toChunkResultDto),
    total_chunks: 1 + paddingChunks.length,
  };
}

export class DocumentContentDto {
  @ApiProperty({
    type: 'string',
    enum: ['string', 'url'],
    description: '`url`: the best chunk is the image of a page, and `output_format` is `url`.',
    example: 'string',
  })
  type: 'string' | 'url';

  @ApiProperty({
    type: 'string',
    description: 'The best chunk: its text, the data URI of its image, or a signed URL that expires.',
    example: 'Hold the power button for ten seconds to set the device back to factory settings.',
  })
  value: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Name of the document where `type` is `url`, otherwise null.',
    example: null,
  })
  filename: string | null;
}

/** A document that was found, with what in it was found. */
export class DocumentResultDto {
  @InUnit('Of its best chunk.', 0.83)
  score: number;

  @ApiProperty({
    type: 'string',
    description: 'Identifier of the document.',
    example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a',
  })
  document_id: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Metadata of the document, with `external_id` and `folder_name` mirrored.',
    example: { department: 'research' },
  })
  metadata: Readonly<Record<string, unknown>>;

  @ApiProperty({ type: DocumentContentDto, description: 'Its best chunk.' })
  content: DocumentContentDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'What parsing found: title, author, language.',
    example: { title: 'Manual' },
  })
  additional_metadata: Readonly<Record<string, unknown>>;
}

export function toDocumentResultDto({ chunk, document }: RetrievedDocument): DocumentResultDto {
  const { documentId, score, content, filename, downloadUrl } = chunk;
  return {
    score,
    document_id: documentId,
    metadata: { ...document.metadata, external_id: documentId, folder_name: document.folder_path },
    content:
      downloadUrl === null
        ? { type: 'string', value: content, filename: null }
        : { type: 'url', value: downloadUrl, filename: filename ?? documentId },
    additional_metadata: document.additional_metadata,
  };
}
