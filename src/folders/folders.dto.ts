import { validate as isUuid } from 'uuid';
import { SORT_KEYS, type SortKey } from '../corpus/document.repository.js';
import type { FolderName } from '../corpus/folder.repository.js';
import { MAX_LIMIT } from '../documents/listing/list.dto.js';
import { Invalid, type Location } from '../errors/index.js';
import type { Filter } from '../filters/filter.js';
import { normaliseFolderPath, ROOT_FOLDER } from '../filters/folders.js';
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

/** The normalised path of a folder; the root is none. */
const ownPath = inTurn(text, (value, loc) => {
  const path = normaliseFolderPath(String(value), loc);
  if (path !== ROOT_FOLDER) return path;
  throw Invalid.at(loc, 'a folder path expects at least one segment, got the root');
});

/** What a client calls a folder: an id, or a path with or without its leading slash. */
const folderName = (value: unknown, loc: Location): FolderName => nameOf(text(value, loc), loc);

function nameOf(folder: string, loc: Location): FolderName {
  return { id: isUuid(folder) ? folder : null, path: normaliseFolderPath(folder, loc) };
}

/** Path of what concerns one folder. */
export class FolderParameter {
  @TextField({
    required: true,
    parse: folderName,
    description:
      'Identifier of the folder, or its path without the leading slash; slashes may be as they are or %-encoded.',
    example: 'manuals',
  })
  folder: FolderName;
}

/** Path of what concerns a document and a folder. */
export class FolderDocumentParameters extends FolderParameter {
  @TextField({ required: true, description: 'Identifier of the document, as POST /documents lists it.' })
  document_id: string;
}

/** Body of POST /folders. */
@Examples({
  'By its name': { name: 'manuals', description: 'Everything about engines' },
  'With its ancestors': { name: 'engines', full_path: '/manuals/engines' },
})
@CrossField<CreateFolderRequest>(['name', 'full_path'], ({ name, full_path }) => {
  if (typeof full_path !== 'string' || full_path.endsWith(name)) return;
  throw Invalid.at(['name'], 'a name expects to be the end of full_path, got another one');
})
export class CreateFolderRequest {
  @TextField({
    required: true,
    parse: ownPath,
    description: 'Name of the folder: the last segment of its path. Slashes in it make ancestors.',
    example: 'engines',
  })
  name: string;

  @TextField({
    nullable: true,
    parse: ownPath,
    description: 'Its whole path. Unset: the name, below the parent when one is given.',
    example: '/manuals/engines',
  })
  full_path: string | null = null;

  @TextField({
    nullable: true,
    parse: folderName,
    description:
      'The folder that it lies in: identifier or path. Beside full_path it has to be that of the path.',
    example: null,
  })
  parent_id: FolderName | null = null;

  @TextField({
    nullable: true,
    maxLength: 10_000,
    description: 'What the folder is for. An existing folder keeps the one that it has.',
    example: 'Everything about engines',
  })
  description: string | null = null;
}

/** Body of a move. */
@Examples({ 'Another place': { new_path: '/archive/manuals' } })
export class MoveFolderRequest {
  @TextField({
    required: true,
    parse: ownPath,
    description: 'The path that the folder is to have: another place, another name or both.',
    example: '/archive/engines',
  })
  new_path: string;
}

/** Query string of a deletion. */
export class DeleteFolderQuery {
  @FlagField({
    inText: true,
    description: 'Whether the folders below go as well; without it a folder that has some stays (409).',
  })
  recursive = false;
}

/** Folders that one request may name. */
const MAX_FOLDERS = 1_000;

/** Body of POST /folders/details. */
@Examples({
  'All folders, counted': { include_status_counts: true },
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
    description: `Identifiers or paths of the folders, at most ${MAX_FOLDERS}; unknown ones are left out. null, or an empty list: all folders.`,
    example: ['/manuals'],
  })
  identifiers: FolderName[] | null = null;

  @FlagField({ nullable: true, description: 'Count the documents in each folder.', example: true })
  include_document_count: boolean | null = null;

  @FlagField({ nullable: true, description: 'Count them by status.', example: false })
  include_status_counts: boolean | null = null;

  @FlagField({ nullable: true, description: 'Return a window of them.', example: false })
  include_documents: boolean | null = null;

  @ParsedObjectField({
    nullable: true,
    parse: parseFilter,
    description: 'Count and return only documents that pass this filter (docs/guide/filters.md).',
    example: { year: { $gte: 2025 } },
  })
  document_filters: Filter | null = null;

  @IntegerField({ min: 0, nullable: true, description: 'Documents of each folder to pass over.', example: 0 })
  document_skip: number | null = null;

  @IntegerField({
    min: 0,
    max: MAX_LIMIT,
    nullable: true,
    description: 'Most documents of each folder to return. Unset: 25.',
    example: 25,
  })
  document_limit: number | null = null;

  @TextListField({
    nullable: true,
    description: 'Dot paths of the records to return, beside `external_id`, as in a listing of documents.',
    example: ['filename', 'system_metadata.status'],
  })
  document_fields: string[] | null = null;

  @ChoiceField({
    values: SORT_KEYS,
    nullable: true,
    description: 'Sort documents by this.',
    example: 'updated_at',
  })
  sort_by: SortKey | null = null;

  @ChoiceField({ values: ['asc', 'desc'], nullable: true, description: 'Direction.', example: 'desc' })
  sort_direction: 'asc' | 'desc' | null = null;
}
