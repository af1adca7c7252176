import type { ApiBodyOptions } from '@nestjs/swagger';

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
      metadata_types: { type: 'string', description: 'Declared types as a JSON object.', example: '{}' },
      filename: { type: 'string', description: 'Another name than that of the file.' },
      rules: {
        type: 'string',
        description: 'Rules as a JSON list: what the configured model does with the content.',
        example: '[]',
      },
      folder_name: { type: 'string', description: 'Folder path.', example: '/manuals' },
      end_user_id: { type: 'string', description: 'The end user whom the document belongs to.' },
      use_colpali: {
        type: 'boolean',
        description: 'Embed the pages as images beside the text.',
        example: false,
      },
    },
  },
};
