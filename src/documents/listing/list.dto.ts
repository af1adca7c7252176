import { SORT_KEYS, type SortKey } from '../../corpus/document.repository.js';
import type { Filter } from '../../filters/filter.js';
import { normaliseFolderPath } from '../../filters/folders.js';
import { parseFilter } from '../../filters/parse/parse-filter.js';
import { Examples } from '../../http/input/examples.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  ListInText,
  NumberInText,
  ParsedObjectField,
  TextField,
  TextListField,
} from '../../http/input/fields.js';
import type { ListRequest } from './list.service.js';

/** Documents of one window. */
export const MAX_LIMIT = 1_000;

/** Body of the listing. */
@Examples({
  'The latest': { limit: 20, include_total_count: true },
  'Filtered, names only': {
    document_filters: { filename: { $regex: 'manual' } },
    completed_only: true,
    sort_by: 'filename',
    sort_direction: 'asc',
    fields: ['external_id', 'filename'],
  },
})
export class ListDocumentsRequest {
  @ParsedObjectField({
    nullable: true,
    parse: parseFilter,
    description: 'Metadata filter in the language of docs/filters.md.',
    example: { year: { $gte: 2025 } },
  })
  document_filters: Filter | null = null;

  @IntegerField({ min: 0, nullable: true, description: 'Documents to pass over.', example: 0 })
  skip: number | null = null;

  @IntegerField({
    min: 0,
    max: MAX_LIMIT,
    nullable: true,
    description: 'Most documents to return.',
    example: 100,
  })
  limit: number | null = null;

  @FlagField({ nullable: true, description: 'false returns counts only.', example: true })
  return_documents: boolean | null = null;

  @FlagField({ nullable: true, description: 'Count all documents that match.', example: false })
  include_total_count: boolean | null = null;

  @FlagField({ nullable: true, description: 'Count them by status.', example: false })
  include_status_counts: boolean | null = null;

  @FlagField({ nullable: true, description: 'Count them by folder.', example: false })
  include_folder_counts: boolean | null = null;

  @FlagField({ nullable: true, description: 'Only documents whose status is completed.', example: false })
  completed_only: boolean | null = null;

  @ChoiceField({ values: SORT_KEYS, nullable: true, description: 'Sort by this.', example: 'updated_at' })
  sort_by: SortKey | null = null;

  @ChoiceField({ values: ['asc', 'desc'], nullable: true, description: 'Direction.', example: 'desc' })
  sort_direction: 'asc' | 'desc' | null = null;

  @TextListField({
    nullable: true,
    description:
      'Dot paths of the record to return, beside `external_id`. What stands in `system_metadata` may be named without it: `status`, `chunk_count`; `content` is the full text.',
    example: ['filename', 'system_metadata.status'],
  })
  fields: string[] | null = null;
}

/** Path of a look-up by name. */
export class FilenamePath {
  @TextField({
    required: true,
    description: 'Name of the document.',
    example: 'greenhouse-controller-manual.md',
  })
  filename: string;
}

/** A proxy may give up on an answer that takes longer. */
const LONGEST_WAIT_SECONDS = 60;

export class StatusQuery {
  @NumberInText()
  @IntegerField({
    min: 0,
    max: LONGEST_WAIT_SECONDS,
    description: 'Seconds to wait at most while the document is `processing`.',
    openapi: { default: 0 },
  })
  wait = 0;
}

/** Query string of the listing and of look-ups by name. */
export class ScopeQuery {
  @ListInText()
  @TextListField({
    parse: (value, loc) => (value as string[]).map((path) => normaliseFolderPath(path, loc)),
    description: 'Folder path, such as /manuals; repeat it to name several.',
  })
  folder_name?: string[];

  @NumberInText()
  @IntegerField({
    min: -1,
    description: '0: that folder; -1: all below it; n: n levels below it.',
  })
  folder_depth?: number;

  @TextField({ description: 'Only documents of that end user.' })
  end_user_id?: string;
}

export function listRequestOf(body: ListDocumentsRequest, query: ScopeQuery): ListRequest {
  return {
    selection: {
      filter: body.document_filters,
      status: body.completed_only === true ? 'completed' : null,
      ...selectionOf(query),
    },
    skip: body.skip ?? 0,
    limit: body.limit ?? 100,
    sortBy: body.sort_by ?? 'updated_at',
    descending: body.sort_direction !== 'asc',
    returnDocuments: body.return_documents ?? true,
    includeTotalCount: body.include_total_count ?? false,
    includeStatusCounts: body.include_status_counts ?? false,
    includeFolderCounts: body.include_folder_counts ?? false,
    fields: body.fields,
  };
}

export function selectionOf({ folder_name, folder_depth, end_user_id }: ScopeQuery): {
  readonly folders: readonly string[] | null;
  readonly folderDepth: number;
  readonly endUserId: string | null;
} {
  return { folders: folder_name ?? null, folderDepth: folder_depth ?? 0, endUserId: end_user_id ?? null };
}
