import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type {
  ChunkGroup,
  RetrievalPlan,
  Retrieved,
  RetrievedChunk,
  RetrievedDocument,
} from './retrieval.types.js';

/** Property decorator: documents a number from 0 to 1. */
const InUnit = (description: string, example: number): PropertyDecorator =>
  ApiProperty({ type: 'number', minimum: 0, maximum: 1, description, example });

export class FusionWeightsDto {
  @InUnit('Weight of the vector similarity.', 0.74)
  dense: number;

  @InUnit('Weight of the lexical score.', 0.26)
  lexical: number;
}

export class ScorePartsDto {
  @InUnit(
    'Vector similarity of question and passage: (1 + cosine) / 2, or the scale of the embedding model.',
    0.79,
  )
  dense: number;

  @InUnit('BM25 score as a share of the maximum score for this question.', 0.94)
  lexical: number;

  @ApiProperty({
    type: FusionWeightsDto,
    description:
      'Weights of the two components for this question. The lexical weight grows with the out-of-vocabulary share of the question.',
  })
  weights: FusionWeightsDto;
}

export class ChunkResultDto {
  @ApiProperty({
    description: 'The text, or the image in the requested `output_format`.',
    example: 'Hold the power button for ten seconds to set the device back to factory settings.',
  })
  content: string;

  @InUnit('Falls with the rank. Comparable between requests unless reranked. 0 for padding.', 0.83)
  score: number;

  @ApiProperty({
    description: 'Identifier of the document.',
    example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a',
  })
  document_id: string;

  @ApiProperty({
    type: 'integer',
    description: '0-based position in the document. For a page image: page number - 1.',
    example: 3,
  })
  chunk_number: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Document metadata, overridden by chunk metadata: `is_image`; `page_number`, 1-based, if known; `first_page_number` if the content starts on an earlier page; `start_offset` and `end_offset` of a text chunk in the text of the document.',
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

  @ApiProperty({ description: 'Whether the chunk is a neighbour of a match.', example: false })
  is_padding: boolean;

  @ApiPropertyOptional({
    type: ScorePartsDto,
    description:
      'Score components of a matching passage, with `explain`. The search score is their weighted sum. With `use_colpali`, `score` is .43 + .5 x the search score. A reranker replaces `score`.',
  })
  score_parts?: ScorePartsDto;
}

export class ChunkGroupDto {
  @ApiProperty({ type: ChunkResultDto, description: 'The match.' })
  main_chunk: ChunkResultDto;

  @ApiProperty({
    type: [ChunkResultDto],
    description: 'Neighbours of the match within `padding`, without other matches, in chunk order.',
  })
  padding_chunks: ChunkResultDto[];

  @ApiProperty({ type: 'integer', description: '1 + the number of padding chunks.', example: 1 })
  total_chunks: number;
}

export class GroupedChunksDto {
  @ApiProperty({
    type: [ChunkResultDto],
    description: 'Each chunk once: matches in rank order, then padding in group order.',
  })
  chunks: ChunkResultDto[];

  @ApiProperty({ type: [ChunkGroupDto], description: 'One group for each match, in rank order.' })
  groups: ChunkGroupDto[];

  @ApiProperty({ type: 'integer', description: 'Number of chunks in `chunks`.', example: 4 })
  total_results: number;

  @ApiProperty({ description: 'Whether `chunks` contains padding.', example: false })
  has_padding: boolean;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description:
      'With `X-Explain: true` and the permission `admin`: `plan`, the search strategy and its counts.',
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
    ...(chunk.scoreComponents === undefined ? {} : { score_parts: chunk.scoreComponents }),
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
    description: 'Name of the document if `type` is `url`, otherwise null.',
    example: null,
  })
  filename: string | null;
}

export class DocumentResultDto {
  @InUnit('Score of the best chunk.', 0.83)
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
    description: 'Metadata of the document, including `external_id` and `folder_name`.',
    example: { department: 'research' },
  })
  metadata: Readonly<Record<string, unknown>>;

  @ApiProperty({ type: DocumentContentDto, description: 'The best chunk.' })
  content: DocumentContentDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Properties found by parsing: title, author, language.',
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
