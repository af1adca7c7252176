import type { ApiBodyOptions } from '@nestjs/swagger';

const TYPES = { type: 'string', description: 'Declared types as a JSON object.', example: '{}' } as const;
const RULES = {
  type: 'string',
  description: 'Rules as a JSON list: what the configured model does with the content.',
  example: '[]',
} as const;
const PAGES = {
  type: 'boolean',
  description: 'Embed the pages as images beside the text.',
  example: false,
} as const;
const PLACE = {
  folder_name: { type: 'string', description: 'Folder path.', example: '/manuals' },
  end_user_id: { type: 'string', description: 'The end user whom the document belongs to.' },
} as const;

/** The form of POST /ingest/file: a form knows text only, so objects are JSON in strings. */
export const INGEST_FILE_FORM: ApiBodyOptions = {
  schema: {
    type: 'object',
    required: ['file'],
    properties: {
      file: { type: 'string', format: 'binary', description: 'The file.' },
      metadata: {
        type: 'string',
        description: 'Metadata as a JSON object.',
        example: '{"product": "GC-200"}',
      },
      metadata_types: TYPES,
      rules: RULES,
      filename: { type: 'string', description: 'Another name than that of the file.' },
      ...PLACE,
      use_colpali: PAGES,
    },
  },
};

/** The form of POST /ingest/files. */
export const INGEST_FILES_FORM: ApiBodyOptions = {
  schema: {
    type: 'object',
    required: ['files'],
    properties: {
      files: {
        type: 'array',
        items: { type: 'string', format: 'binary' },
        description: 'The files: the name is repeated.',
      },
      metadata: {
        type: 'string',
        description: 'A JSON object for all files, or a list with one for each.',
        example: '[{"product": "GC-200"}, {"product": "GC-300"}]',
      },
      metadata_types: {
        ...TYPES,
        description: 'Declared types: an object for all, or a list with one for each.',
      },
      rules: RULES,
      ...PLACE,
      use_colpali: PAGES,
    },
  },
};

/** The form of POST /documents/{document_id}/update_file. */
export const UPDATE_FILE_FORM: ApiBodyOptions = {
  schema: {
    type: 'object',
    required: ['file'],
    properties: {
      file: { type: 'string', format: 'binary', description: 'The file.' },
      update_strategy: {
        type: 'string',
        enum: ['add', 'replace'],
        default: 'add',
        description: 'add: append to the text after a blank line. replace: make it the whole text.',
      },
      metadata: {
        type: 'string',
        description: 'Metadata to merge, as a JSON object.',
        example: '{"reviewed": true}',
      },
      metadata_types: TYPES,
      rules: RULES,
      use_colpali: PAGES,
    },
  },
};
