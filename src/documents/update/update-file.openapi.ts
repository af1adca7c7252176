import type { ApiBodyOptions } from '@nestjs/swagger';
import { PAGES_MEMBER, RULES_MEMBER, TYPES_MEMBER } from '../form-members.openapi.js';

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
      metadata_types: TYPES_MEMBER,
      rules: RULES_MEMBER,
      use_colpali: PAGES_MEMBER,
    },
  },
};
