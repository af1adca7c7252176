import { ApiProperty } from '@nestjs/swagger';
import type { ChunkSizes } from '#reader';
import { DOCUMENT_STATUSES, type DocumentStatus, type ErrorKind } from '../../corpus/document-row.js';
import type { StoreFileRow } from '../../corpus/vector-stores/store-file.repository.js';
import { Examples } from '../../http/input/examples.js';
import { ChoiceField, TextField } from '../../http/input/fields.js';
import { ATTRIBUTES_SCHEMA, AttributesField, attributesOf, type Attributes } from '../attributes.js';
import { ChunkingField, ChunkingStrategyDto, TakesChunking, toStrategyDto } from '../chunking.js';
import { CursorListDto, CursorQuery } from '../cursor-list.js';
import { secondsOf } from '../files/file.dto.js';
import { idOf } from '../ids.js';

const FILE_ID = 'file-0199f1c2a4d87e0b9c3d5e6f7a8b9c0d';
const STORE_ID = 'vs_0199f1c2a4d87e0b9c3d5e6f7a8b9c0d';

export const FILE_STATUSES = ['in_progress', 'completed', 'cancelled', 'failed'] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];

@Examples({ 'With attributes': { file_id: FILE_ID, attributes: { customer: 'acme', year: 2026 } } })
@TakesChunking()
export class AttachFileRequest {
  @TextField({ required: true, description: 'File id.', example: FILE_ID })
  file_id: string;

  @AttributesField()
  attributes: Attributes | null = null;

  @ChunkingField()
  chunking_strategy: ChunkSizes | null = null;
}

@Examples({ Attributes: { attributes: { customer: 'acme' } } })
export class UpdateAttributesRequest {
  @AttributesField({ required: true })
  attributes: Attributes | null;
}

export class StoreFilesQuery extends CursorQuery {
  @ChoiceField({ nullable: true, values: FILE_STATUSES, description: 'Returns only files with this status.' })
  filter: FileStatus | null = null;
}

export class LastErrorDto {
  @ApiProperty({
    type: 'string',
    enum: ['server_error', 'unsupported_file', 'invalid_file'],
    description: 'Cause of the failure: the service, the file type, or the file.',
    example: 'invalid_file',
  })
  code: 'server_error' | 'unsupported_file' | 'invalid_file';

  @ApiProperty({ description: 'Error message.', example: 'The PDF is damaged.' })
  message: string;
}

export class StoreFileDto {
  @ApiProperty({ description: 'File id.', example: FILE_ID })
  id: string;

  @ApiProperty({ type: 'string', enum: ['vector_store.file'], description: 'Object type.' })
  object: 'vector_store.file';

  @ApiProperty({ type: 'integer', description: 'Characters of the text plus bytes of the vectors.' })
  usage_bytes: number;

  @ApiProperty({ type: 'integer', description: 'Time of attachment, in seconds since 1970.' })
  created_at: number;

  @ApiProperty({ description: 'Vector store id.', example: STORE_ID })
  vector_store_id: string;

  @ApiProperty({
    type: 'string',
    enum: ['in_progress', 'completed', 'failed'],
    description: 'Searches find only completed files.',
    example: 'completed',
  })
  status: 'in_progress' | 'completed' | 'failed';

  @ApiProperty({ type: LastErrorDto, nullable: true, description: 'Reason for the failure.' })
  last_error: LastErrorDto | null;

  @ApiProperty({ type: ChunkingStrategyDto, description: 'Chunking strategy used.' })
  chunking_strategy: ChunkingStrategyDto;

  @ApiProperty({ ...ATTRIBUTES_SCHEMA, description: 'Attributes for filters.' })
  attributes: Attributes;
}

export class StoreFileListDto extends CursorListDto {
  @ApiProperty({ type: [StoreFileDto], description: 'Files.' })
  data: StoreFileDto[];
}

export class DeletedStoreFileDto {
  @ApiProperty({ description: 'File id.', example: FILE_ID })
  id: string;

  @ApiProperty({ type: 'string', enum: ['vector_store.file.deleted'], description: 'Object type.' })
  object: 'vector_store.file.deleted';

  @ApiProperty({ description: 'Whether the file was removed.', example: true })
  deleted: boolean;
}

export class FileContentPartDto {
  @ApiProperty({ type: 'string', enum: ['text'], description: 'Content type.', example: 'text' })
  type: 'text';

  @ApiProperty({ description: 'The text of the file.' })
  text: string;
}

export class FileContentDto {
  @ApiProperty({ type: 'string', enum: ['vector_store.file_content.page'], description: 'Object type.' })
  object: 'vector_store.file_content.page';

  @ApiProperty({ type: [FileContentPartDto], description: 'The text; empty until the file is completed.' })
  data: FileContentPartDto[];

  @ApiProperty({ description: 'Always false: the text is one page.', example: false })
  has_more: boolean;

  @ApiProperty({ type: 'string', nullable: true, description: 'Always null.', example: null })
  next_page: string | null;
}

const STATUSES: Readonly<Record<DocumentStatus, StoreFileDto['status']>> = {
  processing: 'in_progress',
  completed: 'completed',
  failed: 'failed',
};

/** Returns the document status for the status of a file; undefined for a status that no document has. */
export function documentStatusOf(status: FileStatus): DocumentStatus | undefined {
  return DOCUMENT_STATUSES.find((one) => STATUSES[one] === status);
}

const ERROR_CODES: Readonly<Record<ErrorKind, LastErrorDto['code']>> = {
  internal: 'server_error',
  unsupported: 'unsupported_file',
  unreadable: 'invalid_file',
};

/** @param usageBytes size of the text and vectors in bytes */
export function toStoreFileDto(file: StoreFileRow, usageBytes: number): StoreFileDto {
  const { status, error, errorKind } = file;
  return {
    id: idOf('file', file.id),
    object: 'vector_store.file',
    usage_bytes: usageBytes,
    created_at: secondsOf(file.createdAt),
    vector_store_id: idOf('store', file.folderId),
    status: STATUSES[status],
    last_error:
      status !== 'failed' ? null : { code: ERROR_CODES[errorKind ?? 'internal'], message: error ?? '' },
    chunking_strategy: toStrategyDto(file.chunking),
    attributes: attributesOf(file.metadata),
  };
}
