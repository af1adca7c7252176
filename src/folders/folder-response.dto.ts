import { ApiProperty, ApiPropertyOptional, IntersectionType, PickType } from '@nestjs/swagger';
import { effectiveLists } from '../access/access-lists.js';
import type { Scope } from '../auth/scope.js';
import type { Placement } from '../corpus/folder-documents.repository.js';
import type { CountedFolder, DescribedFolder, Folder } from '../corpus/folder-list.repository.js';
import { SuccessDto } from '../http/error.dto.js';
import { AccessListsDto, accessListsOf, OwnAccessDto, ownAccessOf } from '../documents/access-control.js';
import { DocumentListDto, ListedDocumentDto } from '../documents/listing/list.dto.js';

const ID = '5f0f6b0e-3c1d-4f6a-9c50-2b7f3a9d1e44';

/** The answer to a move of a document between folders. */
export class PlacedDocumentDto extends SuccessDto {
  @ApiPropertyOptional({
    type: AccessListsDto,
    description: 'Who may now read and change the document besides its owner, if the move changed that.',
  })
  access_control?: AccessListsDto;
}

export function placedDocumentOf(message: string, { row, changesAccess }: Placement): PlacedDocumentDto {
  const changed = changesAccess ? { access_control: accessListsOf(row) } : {};
  return { status: 'success', message, ...changed };
}

/** Fields common to all folder responses. */
class NamedFolderDto {
  @ApiProperty({
    format: 'uuid',
    description: 'Folder id; does not change when the folder moves.',
    example: ID,
  })
  id: string;

  @ApiProperty({ description: 'Last segment of the path.', example: 'engines' })
  name: string;

  @ApiProperty({ description: 'Path.', example: '/manuals/engines' })
  full_path: string;

  @ApiProperty({
    type: 'string',
    format: 'uuid',
    nullable: true,
    description: 'Id of the parent folder; null at the top level.',
    example: '0d6c2d0a-7b0a-4a9e-8a55-6a3f1d7c9b21',
  })
  parent_id: string | null;

  @ApiProperty({ type: 'integer', description: 'Number of path segments: 1 at the top level.', example: 2 })
  depth: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'Description.', example: null })
  description: string | null;
}

export class FolderTimesDto {
  @ApiProperty({ format: 'date-time', description: 'Creation time.' })
  created_at: string;

  @ApiProperty({ format: 'date-time', description: 'Time of the last change of path or description.' })
  updated_at: string;
}

export class FolderDto extends IntersectionType(NamedFolderDto, OwnAccessDto) {
  @ApiProperty({ type: 'integer', description: 'Number of direct subfolders.', example: 0 })
  child_count: number;

  @ApiProperty({ type: [String], description: 'Ids of the documents directly in the folder.', example: [] })
  document_ids: readonly string[];

  @ApiProperty({ type: FolderTimesDto, description: 'System metadata.' })
  system_metadata: FolderTimesDto;

  @ApiProperty({ description: 'Tenant.', example: 'default' })
  app_id: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The end user who made the folder; null: it belongs to the tenant.',
    example: null,
  })
  end_user_id: string | null;

  @ApiPropertyOptional({
    type: AccessListsDto,
    description:
      'Who may read and change the documents and folders below that have no lists of their own. Absent unless this folder or one above it has lists.',
  })
  access_control?: AccessListsDto;
}

export class FolderWithRightsDto extends FolderDto {
  @ApiProperty({
    description: 'Whether the key may rename or move the folder, with all that lies below it.',
    example: true,
  })
  may_rename: boolean;

  @ApiProperty({
    description: 'Whether the key may delete the folder, with all that lies below it.',
    example: true,
  })
  may_delete: boolean;
}

export class ChangedFolderDto extends FolderDto {
  @ApiProperty({
    type: 'integer',
    description: 'Number of documents below the folder whose readers, writers or admins changed.',
    example: 12,
  })
  changed_documents: number;
}

export class FolderSummaryDto extends NamedFolderDto {
  @ApiProperty({ type: 'integer', description: 'Number of documents directly in the folder.', example: 12 })
  doc_count: number;

  @ApiProperty({ format: 'date-time', description: 'Time of the last change of path or description.' })
  updated_at: string;
}

export class FolderDocumentInfoDto extends PickType(DocumentListDto, ['status_counts']) {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of documents; with include_document_count.',
  })
  total_count: number | null;

  @ApiProperty({
    type: ListedDocumentDto,
    isArray: true,
    nullable: true,
    description: 'The page of documents, restricted to `document_fields` if given; with include_documents.',
  })
  documents: readonly object[] | null;
}

export class FolderDetailsDto {
  @ApiProperty({ type: FolderDto, description: 'The folder.' })
  folder: FolderDto;

  @ApiProperty({
    type: FolderDocumentInfoDto,
    nullable: true,
    description: 'The documents directly in the folder; null if not requested.',
  })
  document_info: FolderDocumentInfoDto | null;
}

export class FolderDetailsListDto {
  @ApiProperty({
    type: FolderDetailsDto,
    isArray: true,
    description: 'Distinct folders in request order, or all folders ordered by path.',
  })
  folders: FolderDetailsDto[];
}

export function folderDtoOf(scope: Scope, folder: DescribedFolder): FolderDto {
  const access = ownAccessOf(scope, folder);
  // Others use the folder in private: its name is the key's to use, and its lists are not.
  const isTheirs = folder.isNameOnly === true && access.your_access === 'manage';
  return {
    ...namedFolderOf(folder),
    child_count: folder.childCount,
    document_ids: folder.documentIds,
    system_metadata: {
      created_at: folder.createdAt.toISOString(),
      updated_at: folder.updatedAt.toISOString(),
    },
    app_id: scope.appId,
    ...access,
    ...(isTheirs ? { your_access: 'write' as const } : {}),
    end_user_id: folder.owner?.replace(/^user:/, '') ?? null,
    ...(effectiveLists(folder) === null ? {} : { access_control: accessListsOf(folder) }),
  };
}

export function summaryOf(folder: CountedFolder): FolderSummaryDto {
  return {
    ...namedFolderOf(folder),
    doc_count: folder.documentCount,
    updated_at: folder.updatedAt.toISOString(),
  };
}

type NamedFolder = Pick<NamedFolderDto, keyof NamedFolderDto>;

function namedFolderOf({ id, path, parentId, description }: Folder): NamedFolder {
  const segments = path.split('/').slice(1);
  return {
    id,
    name: segments.at(-1) ?? '',
    full_path: path,
    parent_id: parentId,
    depth: segments.length,
    description,
  };
}
