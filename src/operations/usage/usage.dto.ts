import { ApiProperty } from '@nestjs/swagger';

const MB = { type: 'number', example: 1.25 } as const;

/** What a tenant stores, in MB of 1,048,576 bytes. */
export class AppStorageDto {
  @ApiProperty({ type: 'string', description: 'The tenant.', example: 'default' })
  app_id: string;

  @ApiProperty({ ...MB, description: 'Uploaded files in every version, and the text of the documents.' })
  doc_raw_bytes_mb: number;

  @ApiProperty({ ...MB, description: 'The text of the chunks and their vectors.' })
  chunk_raw_bytes_mb: number;

  @ApiProperty({ ...MB, description: 'Images of pages, and the vectors of these.' })
  multivector_mb: number;

  @ApiProperty({ ...MB, description: 'The three together.' })
  total_mb: number;

  @ApiProperty({ type: 'integer', description: 'Documents, whatever their state.', example: 12 })
  document_count: number;
}
