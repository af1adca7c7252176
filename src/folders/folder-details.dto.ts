import { SORT_KEYS, type SortKey } from '../corpus/document.repository.js';
import type { FolderName } from '../corpus/folder.repository.js';
import { MAX_LIMIT } from '../documents/listing/list.dto.js';
import type { Filter } from '../filters/filter.js';
import { parseFilter } from '../filters/parse/parse-filter.js';
import { Examples } from '../http/input/examples.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  ParsedObjectField,
  TextListField,
} from '../http/input/fields.js';
import { eachOf } from '../http/input/parse.js';
import { folderName } from './folder-name.js';

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
    description: 'Count and return only documents that pass this filter (docs/filters.md).',
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
