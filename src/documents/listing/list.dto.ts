import { ApiProperty, ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import { DOCUMENT_STATUSES, type DocumentStatus } from '../../corpus/document-row.js';
import { SORT_KEYS, type SortKey } from '../../corpus/document-list.repository.js';
import type { Filter } from '../../filters/filter.js';
import { parseFilter } from '../../filters/parse/parse-filter.js';
import { Invalid } from '../../errors/index.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { Examples } from '../../http/input/examples.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  ParsedObjectField,
  TextField,
  TextListField,
} from '../../http/input/fields.js';
import {
  EndUserField,
  GroupsField,
  FilterField,
  FolderDepthField,
  FolderNamesField,
} from '../../retrieval/selection-fields.dto.js';
import { MAX_DOCUMENTS } from '../document-removal.js';
import { AccessControlDto } from '../access-control.js';
import { DocumentDto, OwnerDto } from '../document.dto.js';

export const MAX_LIMIT = 1_000;

/** @throws Invalid for a filter under both names */
export function oneFilter(input: {
  readonly filters: Filter | null;
  readonly document_filters: Filter | null;
}): void {
  if (input.filters === null || input.document_filters === null) return;
  throw Invalid.at(['document_filters'], 'Value error, it is the former name of filters: send filters alone');
}

@CrossField<ListDocumentsRequest>(['filters', 'document_filters'], oneFilter)
@Examples({
  'The latest': { limit: 20, include_total_count: true },
  'Filtered, names only': {
    filters: { filename: { $regex: 'manual' } },
    completed_only: true,
    sort_by: 'filename',
    sort_direction: 'asc',
    fields: ['external_id', 'filename'],
  },
})
export class ListDocumentsRequest {
  @FilterField()
  filters: Filter | null = null;

  @ParsedObjectField({ nullable: true, parse: parseFilter, description: 'Former name of `filters`.' })
  document_filters: Filter | null = null;

  @FolderNamesField()
  folder_name: string[] | null = null;

  @FolderDepthField()
  folder_depth: number | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @GroupsField()
  groups: string[] | null = null;

  @IntegerField({ min: 0, nullable: true, description: 'Number of documents to skip.', example: 0 })
  skip: number | null = null;

  @IntegerField({
    min: 0,
    max: MAX_LIMIT,
    nullable: true,
    description: 'Maximum number of documents.',
    example: 100,
  })
  limit: number | null = null;

  @FlagField({
    nullable: true,
    description:
      'Whether to return only documents of others that access lists let the person read by name or as a member of a group, and that not everyone may read. Needs a key of a person, or `groups`.',
    example: false,
  })
  shared_with_me: boolean | null = null;

  @FlagField({ nullable: true, description: 'false returns counts only.', example: true })
  return_documents: boolean | null = null;

  @FlagField({ nullable: true, description: 'Whether to count all matching documents.', example: false })
  include_total_count: boolean | null = null;

  @FlagField({
    nullable: true,
    description: 'Whether to count matching documents by status.',
    example: false,
  })
  include_status_counts: boolean | null = null;

  @FlagField({
    nullable: true,
    description: 'Whether to count matching documents by folder.',
    example: false,
  })
  include_folder_counts: boolean | null = null;

  @FlagField({
    nullable: true,
    description: 'Whether to return documents with status `completed` only.',
    example: false,
  })
  completed_only: boolean | null = null;

  @ChoiceField({
    values: DOCUMENT_STATUSES,
    nullable: true,
    description:
      'Status of the documents to return. A document with a finished version is `completed` while it is being updated.',
    example: 'failed',
  })
  status: DocumentStatus | null = null;

  @ChoiceField({ values: SORT_KEYS, nullable: true, description: 'Sort key.', example: 'updated_at' })
  sort_by: SortKey | null = null;

  @ChoiceField({ values: ['asc', 'desc'], nullable: true, description: 'Sort direction.', example: 'desc' })
  sort_direction: 'asc' | 'desc' | null = null;

  @TextListField({
    nullable: true,
    description:
      'Dot paths of the fields to return besides `external_id`. Fields of `system_metadata` need no prefix: `status`, `chunk_count`. `content` is the full text.',
    example: ['filename', 'system_metadata.status'],
  })
  fields: string[] | null = null;
}

export class FolderCountDto {
  @ApiProperty({ type: 'string', nullable: true, description: 'Folder path; null: no folder.' })
  folder: string | null;

  @ApiProperty({ type: 'integer', description: 'Number of documents in the folder.' })
  count: number;
}

export class OwnerPartDto extends PartialType(OwnerDto) {}

export class AccessControlPartDto extends PartialType(AccessControlDto) {}

/** A document. If the request names `fields`, it has only these fields and `external_id`. */
export class ListedDocumentDto extends PartialType(
  OmitType(DocumentDto, ['external_id', 'owner', 'access_control']),
) {
  @ApiProperty({ format: 'uuid', description: 'Identifier.' })
  external_id: string;

  @ApiPropertyOptional({ type: OwnerPartDto, description: 'Owner of the document.' })
  owner?: OwnerPartDto;

  @ApiPropertyOptional({ type: AccessControlPartDto, description: 'Access rights.' })
  access_control?: AccessControlPartDto;
}

export class DocumentListDto {
  @ApiProperty({
    type: ListedDocumentDto,
    isArray: true,
    description: 'The documents, restricted to `fields` if given.',
  })
  documents: ListedDocumentDto[];

  @ApiProperty({ type: 'integer', description: 'Number of skipped documents.' })
  skip: number;

  @ApiProperty({ type: 'integer', description: 'Maximum number of documents.' })
  limit: number;

  @ApiProperty({ type: 'integer', description: 'Number of documents in this response.' })
  returned_count: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of matching documents; with include_total_count.',
  })
  total_count: number | null;

  @ApiProperty({ description: 'Whether more documents follow.' })
  has_more: boolean;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Value of `skip` for the next request.' })
  next_skip: number | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    nullable: true,
    description: 'Number of documents by status; with include_status_counts.',
  })
  status_counts: Record<string, number> | null;

  @ApiProperty({
    type: FolderCountDto,
    isArray: true,
    nullable: true,
    description: 'Number of documents by folder; with include_folder_counts.',
  })
  folder_counts: FolderCountDto[] | null;
}

@Examples({ 'By id': { document_ids: ['an id from POST /documents'] } })
export class BatchDocumentsRequest {
  @TextListField({
    required: true,
    maxSize: MAX_DOCUMENTS,
    description: `Document ids, at most ${MAX_DOCUMENTS}. Unknown ids are omitted.`,
    example: ['8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a'],
  })
  document_ids: string[];

  @FolderNamesField()
  folder_name: string[] | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @GroupsField()
  groups: string[] | null = null;
}

@Examples({
  'By part of the name': { query: 'manual', limit: 20 },
  'With a metadata filter': {
    query: 'annual report',
    filters: { filename: { $regex: '\\.pdf$' } },
  },
})
export class SearchDocumentsRequest {
  @TextField({
    required: true,
    notBlank: true,
    maxLength: 1_024,
    description: 'Part of the file name, or words of it in any order. Matched literally, ignoring case.',
    example: 'annual report',
  })
  query: string;

  @IntegerField({
    min: 1,
    max: 100,
    nullable: true,
    description: 'Maximum number of documents.',
    example: 10,
  })
  limit: number | null = null;

  @FilterField()
  filters: Filter | null = null;

  @FolderNamesField()
  folder_name: string[] | null = null;

  @FolderDepthField()
  folder_depth: number | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @GroupsField()
  groups: string[] | null = null;
}
