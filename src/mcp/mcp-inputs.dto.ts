import type { Filter } from '../filters/filter.js';
import { IntegerField, TextField } from '../http/input/fields.js';
import {
  EndUserField,
  FilterField,
  FolderDepthField,
  FolderNamesField,
} from '../retrieval/selection-fields.dto.js';

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

/** Maximum number of characters that one call returns. */
const MAX_LENGTH = 100_000;

export class ReadDocumentInput {
  @TextField({ required: true, description: 'Document id.', example: ID })
  document_id: string;

  @IntegerField({ min: 0, description: 'Number of characters to skip.', example: 0 })
  start = 0;

  @IntegerField({
    positive: true,
    max: MAX_LENGTH,
    description: 'Maximum number of characters.',
    example: 20_000,
  })
  length = 20_000;
}

export class ReadPageInput {
  @TextField({ required: true, description: 'Document id.', example: ID })
  document_id: string;

  @IntegerField({ required: true, positive: true, description: 'Page number, 1-based.', example: 1 })
  page: number;
}

export class ListInput {
  @FilterField()
  filters: Filter | null = null;

  @FolderNamesField()
  folder_name: string[] | null = null;

  @FolderDepthField()
  folder_depth: number | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @IntegerField({ min: 0, description: 'Number of documents to skip.', example: 0 })
  skip = 0;

  @IntegerField({ positive: true, max: 100, description: 'Maximum number of documents.', example: 20 })
  limit = 20;
}
