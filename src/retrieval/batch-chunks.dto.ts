import { Examples } from '../http/input/examples.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  NestedListField,
  NumberField,
  TextField,
} from '../http/input/fields.js';
import type { OutputFormat } from './retrieval.types.js';
import { EndUserField, FolderNamesField } from './selection-fields.dto.js';

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

/** Chunks that one request may name. */
const MAX_SOURCES = 1_000;

/** A chunk by its place, as `sources` of a completion name it. */
export class ChunkSourceDto {
  @TextField({ required: true, description: 'Identifier of the document.', example: ID })
  document_id: string;

  @IntegerField({
    required: true,
    min: 0,
    description: 'Position in the document, from 0; of a page image: page number - 1.',
    example: 3,
  })
  chunk_number: number;

  @NumberField({ nullable: true, description: 'Given back with the chunk.', example: 0.83 })
  score: number | null = null;
}

/** Body of POST /batch/chunks. */
@Examples({
  'As `sources` of a completion names them': {
    sources: [{ document_id: 'an id from POST /documents', chunk_number: 0, score: 0.83 }],
  },
})
export class BatchChunksRequest {
  @NestedListField({
    required: true,
    type: () => ChunkSourceDto,
    maxSize: MAX_SOURCES,
    description: `The chunks, at most ${MAX_SOURCES}. Unknown ones are left out.`,
  })
  sources: ChunkSourceDto[];

  @FolderNamesField()
  folder_name: string[] | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @FlagField({
    nullable: true,
    description:
      'true: a number is that of a page image where there is one, and of a text chunk otherwise. null or false: of a text chunk.',
    example: false,
  })
  use_colpali: boolean | null = null;

  @ChoiceField({
    values: ['base64', 'url', 'text'],
    nullable: true,
    description: 'How the content of a page image is returned, as in retrieval. null: base64.',
    example: 'base64',
    openapi: { default: 'base64' },
  })
  output_format: OutputFormat | null = null;
}
