import { ApiProperty } from '@nestjs/swagger';
import type { RetrievedDocument } from './retrieval.types.js';

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
  @ApiProperty({ type: 'number', minimum: 0, maximum: 1, description: 'Of its best chunk.', example: 0.83 })
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
