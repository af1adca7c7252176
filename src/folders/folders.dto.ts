import { validate as isUuid } from 'uuid';
import type { AccessChange } from '../access/access-lists.js';
import { SORT_KEYS, type SortKey } from '../corpus/document-list.repository.js';
import type { FolderName } from '../corpus/folder.repository.js';
import { AccessControlField } from '../documents/access-control.js';
import { MAX_LIMIT } from '../documents/listing/list.dto.js';
import { Invalid, type Location } from '../errors/index.js';
import type { Filter } from '../filters/filter.js';
import { creatableFolder, normaliseFolderPath, ROOT_FOLDER } from '../filters/folders.js';
import { parseFilter } from '../filters/parse/parse-filter.js';
import { CrossField } from '../http/input/input.pipe.js';
import { Examples } from '../http/input/examples.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  ParsedObjectField,
  TextField,
  TextListField,
} from '../http/input/fields.js';
import { eachOf, inTurn, text } from '../http/input/parse.js';

/** The normalised path of a folder other than the root. */
const ownPath = inTurn(text, (value, loc) => {
  const path = normaliseFolderPath(String(value), loc);
  if (path !== ROOT_FOLDER) return path;
  throw Invalid.at(loc, 'a folder path expects at least one segment, got the root');
});

/** The normalised path of a folder that the request may create. */
const newPath = inTurn(ownPath, (value, loc) => creatableFolder(String(value), loc));

/** Reads how a request names a folder: by its id, or by its path with or without the leading slash. */
const folderName = (value: unknown, loc: Location): FolderName => nameOf(text(value, loc), loc);

function nameOf(folder: string, loc: Location): FolderName {
  return { id: isUuid(folder) ? folder : null, path: normaliseFolderPath(folder, loc) };
}

export class FolderParameter {
  @TextField({
    required: true,
    parse: folderName,
    description: 'Folder id, or path without the leading slash; slashes may be plain or %-encoded.',
    example: 'manuals',
  })
  folder: FolderName;
}

export const MAX_FOLDERS = 1_000;

export class FolderListQuery {
  @TextField({
    nullable: true,
    parse: folderName,
    description:
      'Id or path of the folder whose direct subfolders are listed; / lists the top level. Default: folders at any depth.',
    // Swagger UI would fill in an example, and answer 404.
  })
  parent_id: FolderName | null = null;

  @IntegerField({ inText: true, min: 0, description: 'Number of folders to skip.', example: 0 })
  skip = 0;

  @IntegerField({
    inText: true,
    min: 1,
    max: MAX_FOLDERS,
    description: 'Maximum number of folders.',
    example: 100,
  })
  limit = MAX_FOLDERS;
}

export class FolderDocumentParameters extends FolderParameter {
  @TextField({ required: true, description: 'Document id, as listed by POST /documents.' })
  document_id: string;
}

@Examples({
  'By its name': { name: 'manuals', description: 'Everything about engines' },
  'With its ancestors': { name: 'engines', full_path: '/manuals/engines' },
})
@CrossField<CreateFolderRequest>(['name', 'full_path'], ({ name, full_path }) => {
  if (typeof full_path !== 'string' || full_path.endsWith(name)) return;
  throw Invalid.at(['name'], 'name must be the end of full_path');
})
export class CreateFolderRequest {
  @TextField({
    required: true,
    parse: newPath,
    description: 'Name of the folder: the last segment of its path. Slashes create ancestors.',
    example: 'engines',
  })
  name: string;

  @TextField({
    nullable: true,
    parse: newPath,
    description: 'Full path. Default: the name, below the parent if given.',
    example: '/manuals/engines',
  })
  full_path: string | null = null;

  @TextField({
    nullable: true,
    parse: folderName,
    description: 'Parent folder: id or path. With full_path it must be the parent of that path.',
    example: null,
  })
  parent_id: FolderName | null = null;

  @TextField({
    nullable: true,
    maxLength: 10_000,
    description: 'Description. An existing folder keeps its own.',
    example: 'Everything about engines',
  })
  description: string | null = null;

  @AccessControlField(
    'For a new folder: who may read and change the documents and folders below. Default: the lists of the folder above.',
  )
  access_control: AccessChange | null = null;
}

@Examples({
  'Let a group read it': { access_control: { readers: ['group:sales'] } },
  'As the folder above': { access_control: null },
})
export class ChangeFolderRequest {
  @AccessControlField(
    'Who may read and change the documents and folders below that have no lists of their own. Lists that the request omits do not change. null: the lists of the folder above apply.',
    { required: true },
  )
  access_control: AccessChange | null;
}

@Examples({ 'Move and rename': { new_path: '/archive/manuals' } })
export class MoveFolderRequest {
  @TextField({
    required: true,
    parse: newPath,
    description: 'New path: another parent, another name or both.',
    example: '/archive/engines',
  })
  new_path: string;
}

export class DeleteFolderQuery {
  @FlagField({
    inText: true,
    description: 'Whether to delete subfolders too; otherwise a folder with subfolders gets a 409.',
  })
  recursive = false;
}

@Examples({
  'Document counts of all folders': { include_status_counts: true },
  'Two folders with their latest documents': {
    identifiers: ['/manuals', '/manuals/engines'],
    include_documents: true,
    document_limit: 5,
    document_fields: ['filename', 'status'],
  },
})
export class FolderDetailsRequest {
  @TextListField({
    nullable: true,
    maxSize: MAX_FOLDERS,
    parse: eachOf(folderName),
    description: `Folder ids or paths, at most ${MAX_FOLDERS}; unknown ones are omitted. null or an empty list: a page of all folders.`,
    example: ['/manuals'],
  })
  identifiers: FolderName[] | null = null;

  @IntegerField({
    min: 0,
    nullable: true,
    description: 'Number of folders to skip, if the request names none.',
    example: 0,
  })
  skip: number | null = null;

  @IntegerField({
    min: 1,
    max: MAX_FOLDERS,
    nullable: true,
    description: `Maximum number of folders, if the request names none. Default: ${MAX_FOLDERS}.`,
    example: 100,
  })
  limit: number | null = null;

  @FlagField({ nullable: true, description: 'Whether to count the documents in each folder.', example: true })
  include_document_count: boolean | null = null;

  @FlagField({ nullable: true, description: 'Whether to count them by status.', example: false })
  include_status_counts: boolean | null = null;

  @FlagField({ nullable: true, description: 'Whether to return a page of them.', example: false })
  include_documents: boolean | null = null;

  @ParsedObjectField({
    nullable: true,
    parse: parseFilter,
    description: 'Metadata filter for the counted and returned documents (docs/guide/filters.md).',
    example: { year: { $gte: 2025 } },
  })
  filters: Filter | null = null;

  @ParsedObjectField({ nullable: true, parse: parseFilter, description: 'Former name of `filters`.' })
  document_filters: Filter | null = null;

  @IntegerField({
    min: 0,
    nullable: true,
    description: 'Number of documents of each folder to skip.',
    example: 0,
  })
  document_skip: number | null = null;

  @IntegerField({
    min: 0,
    max: MAX_LIMIT,
    nullable: true,
    description: 'Maximum number of documents per folder. Default: 25.',
    example: 25,
  })
  document_limit: number | null = null;

  @TextListField({
    nullable: true,
    description: 'Dot paths of the fields to return besides `external_id`, as in POST /documents.',
    example: ['filename', 'system_metadata.status'],
  })
  document_fields: string[] | null = null;

  @ChoiceField({
    values: SORT_KEYS,
    nullable: true,
    description: 'Sort key of the documents.',
    example: 'updated_at',
  })
  sort_by: SortKey | null = null;

  @ChoiceField({ values: ['asc', 'desc'], nullable: true, description: 'Direction.', example: 'desc' })
  sort_direction: 'asc' | 'desc' | null = null;
}
