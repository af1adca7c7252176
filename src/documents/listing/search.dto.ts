import type { Filter } from '../../filters/filter.js';
import type { DocumentSelection } from '../../filters/document-predicate.js';
import { Examples } from '../../http/input/examples.js';
import { IntegerField, TextField } from '../../http/input/fields.js';
import {
  EndUserField,
  FilterField,
  FolderDepthField,
  FolderNamesField,
} from '../../retrieval/selection-fields.dto.js';

/** Body of the search by file name. */
@Examples({
  'By a part of the name': { query: 'manual', limit: 20 },
  'Filtered by what is known of them': {
    query: 'annual report',
    filters: { filename: { $regex: '\\.pdf$' } },
  },
})
export class SearchDocumentsRequest {
  @TextField({
    required: true,
    notBlank: true,
    maxLength: 1_024,
    description:
      'A part of the file name, taken literally and without regard to case, or words of it in any order.',
    example: 'annual report',
  })
  query: string;

  @IntegerField({ min: 1, max: 100, nullable: true, description: 'Most documents to return.', example: 10 })
  limit: number | null = null;

  @FilterField()
  filters: Filter | null = null;

  @FolderNamesField()
  folder_name: string[] | null = null;

  @FolderDepthField()
  folder_depth: number | null = null;

  @EndUserField()
  end_user_id: string | null = null;
}

export interface SearchRequest {
  readonly text: string;
  readonly limit: number;
  readonly selection: DocumentSelection;
}

const DEFAULT_LIMIT = 10;

export function searchRequestOf(body: SearchDocumentsRequest): SearchRequest {
  return {
    text: body.query,
    limit: body.limit ?? DEFAULT_LIMIT,
    selection: {
      filter: body.filters,
      folders: body.folder_name,
      folderDepth: body.folder_depth ?? 0,
      endUserId: body.end_user_id,
    },
  };
}
