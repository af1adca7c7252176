import { ApiProperty } from '@nestjs/swagger';
import { IntegerField, NumberInText, TextField } from '../../http/input/fields.js';

/** A week, as stores that sign URLs allow. */
const MAX_SECONDS = 7 * 24 * 60 * 60;

export class DownloadUrlQuery {
  @NumberInText()
  @IntegerField({
    positive: true,
    max: MAX_SECONDS,
    description: 'Seconds for which the URL works.',
    openapi: { default: 3600 },
  })
  expires_in = 3_600;
}

export class DownloadUrlDto {
  @ApiProperty({
    type: 'string',
    description: 'Identifier of the document.',
    example: '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a',
  })
  document_id: string;

  @ApiProperty({
    type: 'string',
    description: 'Works without a key until it expires.',
    example: 'http://127.0.0.1:8000/files?token=WyJk...',
  })
  download_url: string;

  @ApiProperty({ type: 'integer', description: 'Seconds for which it works.', example: 3600 })
  expires_in: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'Name of the file.', example: 'manual.pdf' })
  filename: string | null;

  @ApiProperty({ type: 'string', description: 'Its media type.', example: 'application/pdf' })
  content_type: string;
}

export class SignedFileQuery {
  @TextField({ required: true, description: 'From a download URL.' })
  token: string;
}
