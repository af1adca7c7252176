import { ApiProperty, ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { Expose } from 'class-transformer';
import { AccessControlDto, DocumentDto, OwnerDto } from '../document.dto.js';

export class FolderCountDto {
  @ApiProperty({ type: 'string', nullable: true, description: 'Folder path; null: no folder.' })
  folder: string | null;

  @ApiProperty({ type: 'integer', description: 'Documents in it.' })
  count: number;
}

export class OwnerPartDto extends PartialType(OwnerDto) {}

export class AccessControlPartDto extends PartialType(AccessControlDto) {}

/** A document, or the parts of it that `fields` names: then only `external_id` is always there. */
export class ListedDocumentDto extends PartialType(
  OmitType(DocumentDto, ['external_id', 'owner', 'access_control']),
) {
  @ApiProperty({ type: 'string', format: 'uuid', description: 'Identifier.' })
  external_id: string;

  @ApiPropertyOptional({ type: OwnerPartDto, description: 'Who owns the document.' })
  owner?: OwnerPartDto;

  @ApiPropertyOptional({ type: AccessControlPartDto, description: 'Who has access.' })
  access_control?: AccessControlPartDto;
}

export class DocumentListDto {
  @ApiProperty({
    type: ListedDocumentDto,
    isArray: true,
    description: 'The window, whole or as `fields` says: then members that it does not name are left out.',
  })
  documents: ListedDocumentDto[];

  @ApiProperty({ type: 'integer', description: 'Documents passed over.' })
  skip: number;

  @ApiProperty({ type: 'integer', description: 'Most documents of the window.' })
  limit: number;

  @ApiProperty({ type: 'integer', description: 'Documents in this answer.' })
  returned_count: number;

  @ApiProperty({ type: 'integer', nullable: true, description: 'All that match; with include_total_count.' })
  total_count: number | null;

  @ApiProperty({ type: 'boolean', description: 'Whether there are more behind the window.' })
  has_more: boolean;

  @ApiProperty({ type: 'integer', nullable: true, description: 'The skip of the next window.' })
  next_skip: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    nullable: true,
    description: 'Documents by status; with include_status_counts.',
  })
  status_counts: Record<string, number> | null;

  @ApiProperty({
    type: FolderCountDto,
    isArray: true,
    nullable: true,
    description: 'Documents by folder; with include_folder_counts.',
  })
  folder_counts: FolderCountDto[] | null;
}

export class DocumentStatusDto {
  @Expose()
  @ApiProperty({ type: 'string', format: 'uuid', description: 'Id of the document.' })
  document_id: string;

  @Expose()
  @ApiProperty({
    type: 'string',
    enum: ['processing', 'completed', 'failed'],
    description: 'Where it stands.',
  })
  status: string;

  @Expose()
  @ApiProperty({ type: 'string', nullable: true, description: 'Its name.' })
  filename: string | null;

  @Expose()
  @ApiProperty({ type: 'string', format: 'date-time', description: 'When it came.' })
  created_at: string;

  @Expose()
  @ApiProperty({ type: 'string', format: 'date-time', description: 'When it last changed.' })
  updated_at: string;

  @Expose()
  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'current_step, total_steps, step_name, percentage; while processing.',
  })
  progress?: object;

  @Expose()
  @ApiPropertyOptional({ type: 'string', description: 'What is wrong and what to do; when failed.' })
  error?: string;
}
