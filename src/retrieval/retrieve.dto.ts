import { Invalid, violation } from '../errors/index.js';
import type { Filter } from '../filters/filter.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  NestedListField,
  NumberField,
  TextField,
} from '../http/input/fields.js';
import { CrossField, type Parse } from '../http/input/input.pipe.js';
import { Examples } from '../http/input/examples.js';
import { parseQueryImage } from '../pages/query-image.js';
import type { OutputFormat, RetrieveRequest } from './retrieval.types.js';
import {
  EndUserField,
  FilterField,
  FolderDepthField,
  FolderNamesField,
  GroupsField,
} from './selection-fields.dto.js';

/** Checks a number against an upper bound from the settings. */
const atMost =
  (setting: 'MAX_K' | 'MAX_PADDING'): Parse =>
  (value, loc, settings) => {
    const max = settings[setting];
    if (Number(value) > max) throw violation(loc, 'max', max);
    return value;
  };

/** Maximum size of a query in bytes: several pages of text. */
const MAX_QUERY_BYTES = 32 * 1_024;

const DEFAULT_K = 4;

/** Maximum number of neighbours of all matches together. */
const MAX_NEIGHBOURS = 10_000;

const QUESTIONS = {
  'A question': { query: 'What does error E07 mean?', k: 4 },
  'In one document, with a minimum score': {
    query: 'How often is the main mirror re-aluminised?',
    k: 10,
    min_score: 0.2,
    filters: { filename: 'observatory-annual-report-2025.pdf' },
  },
  'Pages with their neighbours': {
    query: 'income by source',
    use_colpali: true,
    output_format: 'text',
    padding: 1,
  },
};

/** Request fields shared by retrieval and completion. */
@CrossField<RetrieveDto>(['query', 'query_image', 'use_colpali'], ({ query, query_image, use_colpali }) => {
  if (query !== null && query_image !== null) {
    throw Invalid.at([], 'Value error, query and query_image exclude each other: set one of them');
  }
  if (query === null && query_image === null) {
    throw Invalid.at([], 'Value error, query or query_image is required');
  }
  if (query_image !== null && use_colpali !== true) {
    throw Invalid.at([], 'Value error, query_image requires use_colpali: true');
  }
})
@CrossField<RetrieveDto>(['k', 'padding'], ({ k = DEFAULT_K, padding }) => {
  if (2 * k * padding <= MAX_NEIGHBOURS) return;
  throw Invalid.at(['padding'], `Value error, k and padding request more than ${MAX_NEIGHBOURS} neighbours`);
})
@Examples(QUESTIONS)
export class RetrieveDto {
  @TextField({
    description:
      'Question in natural language, at most 32 KiB in UTF-8. Lexical search uses its 256 rarest terms. Exactly one of `query` and `query_image` is required.',
    example: 'What does error E07 mean?',
    nullable: true,
    notEmpty: true,
    maxBytes: MAX_QUERY_BYTES,
  })
  query: string | null = null;

  @TextField({
    description:
      'Base64 image, raw or as a data URI: PNG, JPEG, WebP, GIF, BMP or TIFF of at most 10 MiB and 50 megapixels. Requires `use_colpali: true`.',
    nullable: true,
    parse: parseQueryImage,
  })
  query_image: string | null = null;

  @FilterField()
  filters: Filter | null = null;

  @IntegerField({
    description: 'Maximum number of matches. Upper bound: the setting MAX_K (1,000).',
    example: 4,
    positive: true,
    parse: atMost('MAX_K'),
    openapi: { default: DEFAULT_K },
  })
  k?: number;

  @NumberField({
    description: 'Minimum score of a match, from 0 to 1. Applies to the reranked score if reranking is on.',
    example: 0,
    openapi: { default: 0 },
  })
  min_score = 0;

  @FlagField({
    description: 'Whether to rerank matches. null: the setting RERANK_BY_DEFAULT.',
    example: null,
    nullable: true,
    parse: (value, loc, { RERANKER }) => {
      if (value !== true || RERANKER !== 'none') return value;
      throw Invalid.at(loc, 'Value error, no reranker is available: RERANKER is none');
    },
  })
  use_reranking: boolean | null = null;

  @FlagField({
    description:
      'true: returns the page image of a passage if it has one, and also searches page images if a page model is configured. null or false: text only.',
    example: false,
    nullable: true,
  })
  use_colpali: boolean | null = null;

  @ChoiceField({
    description:
      'Content format of page images. base64: a data URI. url: a signed URL that expires. text: the text of the page. Text chunks are unaffected. null: base64.',
    values: ['base64', 'url', 'text'],
    example: 'base64',
    nullable: true,
    openapi: { default: 'base64' },
  })
  output_format: OutputFormat | null = null;

  @IntegerField({
    description:
      'Number of neighbours before and after each match, with `use_colpali` only. Upper bounds: the setting MAX_PADDING (100), and 10,000 neighbours of all matches.',
    example: 0,
    min: 0,
    parse: atMost('MAX_PADDING'),
    openapi: { default: 0 },
  })
  padding = 0;

  @FolderNamesField()
  folder_name: string[] | null = null;

  @FolderDepthField()
  folder_depth: number | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @GroupsField()
  groups: string[] | null = null;
}

/** Request body of POST /retrieve/chunks and POST /retrieve/chunks/grouped. */
@Examples({
  ...QUESTIONS,
  'With score components': { query: 'What does error E07 mean?', explain: true },
})
export class RetrieveChunksDto extends RetrieveDto {
  @FlagField({
    description: 'Whether matching passages include their score components (`score_parts`).',
    example: false,
    openapi: { default: false },
  })
  explain = false;
}

export function toRetrieveRequest(dto: RetrieveDto): RetrieveRequest {
  return {
    query: dto.query,
    queryImage: dto.query_image,
    filter: dto.filters,
    k: dto.k ?? DEFAULT_K,
    minScore: dto.min_score,
    useReranking: dto.use_reranking,
    useColpali: dto.use_colpali ?? false,
    outputFormat: dto.output_format ?? 'base64',
    padding: dto.padding,
    folders: dto.folder_name,
    folderDepth: dto.folder_depth ?? 0,
    endUserId: dto.end_user_id,
  };
}

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

const MAX_SOURCES = 1_000;

/** Identifies a chunk by its document and number, in the form of a completion's `sources`. */
export class ChunkSourceDto {
  @TextField({ required: true, description: 'Identifier of the document.', example: ID })
  document_id: string;

  @IntegerField({
    required: true,
    min: 0,
    description: '0-based position in the document. For a page image: page number - 1.',
    example: 3,
  })
  chunk_number: number;

  @NumberField({ nullable: true, description: 'Returned with the chunk.', example: 0.83 })
  score: number | null = null;
}

@Examples({
  'From `sources` of a completion': {
    sources: [{ document_id: 'an id from POST /documents', chunk_number: 0, score: 0.83 }],
  },
})
export class BatchChunksRequest {
  @NestedListField({
    required: true,
    type: () => ChunkSourceDto,
    maxSize: MAX_SOURCES,
    description: `At most ${MAX_SOURCES} chunks. Unknown chunks are omitted.`,
  })
  sources: ChunkSourceDto[];

  @FolderNamesField()
  folder_name: string[] | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @GroupsField()
  groups: string[] | null = null;

  @FlagField({
    nullable: true,
    description:
      'true: a number refers to a page image if one exists, otherwise to a text chunk. null or false: to a text chunk.',
    example: false,
  })
  use_colpali: boolean | null = null;

  @ChoiceField({
    values: ['base64', 'url', 'text'],
    nullable: true,
    description: 'Content format of page images, as in retrieval. null: base64.',
    example: 'base64',
    openapi: { default: 'base64' },
  })
  output_format: OutputFormat | null = null;
}
