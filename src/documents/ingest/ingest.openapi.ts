import type { ApiBodyOptions } from '@nestjs/swagger';
import { PAGES_MEMBER, RULES_MEMBER, TYPES_MEMBER } from '../form-members.openapi.js';

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
      metadata_types: TYPES_MEMBER,
      rules: RULES_MEMBER,
      filename: { type: 'string', description: 'Another name than that of the file.' },
      ...PLACE,
      use_colpali: PAGES_MEMBER,
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
        ...TYPES_MEMBER,
        description: 'Declared types: an object for all, or a list with one for each.',
      },
      rules: RULES_MEMBER,
      ...PLACE,
      use_colpali: PAGES_MEMBER,
    },
  },
};
