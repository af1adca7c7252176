import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AccessControlDto, OwnAccessDto } from './access-control.js';

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

export class OwnerDto {
  @ApiProperty({ type: 'string', enum: ['app', 'user'], description: 'Type of the owner.', example: 'app' })
  type: 'app' | 'user';

  @ApiProperty({ description: 'Identifier of the owner.', example: 'default' })
  id: string;
}

export class StorageFileDto {
  @ApiProperty({ description: 'Bucket in the object store.', example: 'local' })
  bucket: string;

  @ApiProperty({ description: 'Object key.', example: `default/${ID}/1` })
  key: string;

  @ApiProperty({ type: 'integer', description: 'Version of the document.', example: 1 })
  version: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'File name.', example: 'manual.pdf' })
  filename: string | null;

  @ApiProperty({ description: 'Media type.', example: 'application/pdf' })
  content_type: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Time of storage.',
    example: '2026-01-31T12:00:00.000Z',
  })
  timestamp: string;
}

export class DocumentDto extends OwnAccessDto {
  @ApiProperty({ format: 'uuid', description: 'Identifier.', example: ID })
  external_id: string;

  @ApiProperty({ type: OwnerDto, description: 'Owner of the document.' })
  owner: OwnerDto;

  @ApiProperty({ description: 'Media type of the source.', example: 'application/pdf' })
  content_type: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Name.', example: 'manual.pdf' })
  filename: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Metadata of the document, including `external_id` and `folder_name`.',
    example: { department: 'research', external_id: ID, folder_name: '/manuals' },
  })
  metadata: Record<string, unknown>;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Type of each top-level key of the metadata.',
    example: { department: 'string' },
  })
  metadata_types: Record<string, string>;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of pages; null if the format has no pages. Also in `system_metadata`.',
    example: 12,
  })
  page_count: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description:
      'The file of the document: filename, content_type, and bucket and key if it is in the object store.',
    example: { bucket: 'local', key: `default/${ID}/1`, content_type: 'application/pdf' },
  })
  storage_info: Record<string, string>;

  @ApiProperty({
    type: [StorageFileDto],
    description: 'All stored files. A key that may not change the document gets each with the present name.',
  })
  storage_files: StorageFileDto[];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'status (processing, completed, failed), version, created_at, updated_at, page_count, chunk_count, progress while processing, error if failed, update_history ({version, timestamp, strategy, filename, metadata_updated, end_user_id}, one entry per change; end_user_id: who made it, null for an application; filename only to whoever may change the document, unless it is the present one), use_colpali, embedding_model; content on request only. GET /documents/{id} adds page_view: drawn (pages are drawn from the file), stored (page images of the ingestion) or null, and drawn_page_count, the number of drawn pages of an office document.',
    example: {
      status: 'completed',
      version: 1,
      created_at: '2026-01-31T12:00:00.000Z',
      updated_at: '2026-01-31T12:00:02.000Z',
      page_count: 12,
      chunk_count: 31,
      update_history: [],
      use_colpali: false,
      embedding_model: 'local/all-MiniLM-L6-v2',
    },
  })
  system_metadata: Record<string, unknown>;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Properties that parsing found: title, author, language, page properties.',
    example: { title: 'Manual' },
  })
  additional_metadata: Record<string, unknown>;

  @ApiProperty({
    type: AccessControlDto,
    description:
      'Who may read and change the document besides its owner. Without lists of its own it has those of its folder. Without any lists, a document of a user is private, and a document of the app is for everyone.',
  })
  access_control: AccessControlDto;

  @ApiProperty({
    type: [String],
    description: 'Identifiers of the chunks, in order.',
    example: [`${ID}-0`, `${ID}-1`],
  })
  chunk_ids: string[];

  @ApiProperty({ type: 'string', nullable: true, description: 'Path of the folder.', example: '/manuals' })
  folder_name: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Path of the folder.', example: '/manuals' })
  folder_path: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Id of the folder.',
    example: '2c1743a3-91b1-4e3b-9a3b-7c8f1d0e5a6b',
  })
  folder_id: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'End user of the document.',
    example: null,
  })
  end_user_id: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Tenant.', example: 'default' })
  app_id: string | null;
}

export class DocumentStatusDto {
  @ApiProperty({ format: 'uuid', description: 'Id of the document.' })
  document_id: string;

  @ApiProperty({
    type: 'string',
    enum: ['processing', 'completed', 'failed'],
    description: 'Status of the document.',
  })
  status: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'File name.' })
  filename: string | null;

  @ApiProperty({ format: 'date-time', description: 'Creation time.' })
  created_at: string;

  @ApiProperty({ format: 'date-time', description: 'Time of the last change.' })
  updated_at: string;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'current_step, total_steps, step_name, percentage; while processing.',
  })
  progress?: object;

  @ApiPropertyOptional({ description: 'Reason for the failure and its remedy; only if the document failed.' })
  error?: string;
}
