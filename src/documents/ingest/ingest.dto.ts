import { normaliseFolderPath } from '../../filters/folders.js';
import { Examples } from '../../http/input/examples.js';
import { FlagField, JsonObjectField, NOT_BLANK, TextField, TextMapField } from '../../http/input/fields.js';
import { withDeclaredTypes, type Rule } from '../../ingestion/rules/rule.js';
import { RulesField } from '../rule.dto.js';
import { NameField } from '../document-name.js';

/** Folder of a new document, normalised. */
export function FolderField(): PropertyDecorator {
  return TextField({
    nullable: true,
    description: 'Folder path; made, with its ancestors, when it is not there. One leading slash is added.',
    example: '/manuals/greenhouse',
    parse: (value, loc) => normaliseFolderPath(String(value), loc),
    openapi: { pattern: NOT_BLANK },
  });
}

export function EndUserField(): PropertyDecorator {
  return TextField({
    nullable: true,
    notEmpty: true,
    maxLength: 256,
    description: 'The end user whom the document belongs to.',
    example: 'user-17',
  });
}

/** What comes with every new document, as text or as a file. */
export class IngestFields {
  @NameField({
    nullable: true,
    description: 'Name of the document. Unset: the name of the file, or document_<id>.txt for text.',
    example: 'greenhouse-controller-manual.md',
  })
  filename: string | null = null;

  @JsonObjectField({
    nullable: true,
    description: 'Metadata to filter by. Reserved names (folder_name, external_id, ...) are refused.',
    example: { product: 'GC-200', year: 2026 },
  })
  metadata: Record<string, unknown> | null = null;

  @TextMapField({
    nullable: true,
    description:
      'Declared types by metadata key: string, number, decimal, boolean, datetime, date, array, object, null. Undeclared ones are inferred.',
    example: { year: 'number' },
  })
  metadata_types: Record<string, string> | null = null;

  @FolderField()
  folder_name: string | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @RulesField({ nullable: true })
  rules: Rule[] | null = null;

  @FlagField({
    nullable: true,
    description: 'Embed the pages as images beside the text, for use_colpali in retrieval.',
    example: false,
  })
  use_colpali: boolean | null = null;
}

@Examples({
  'A note': {
    content: 'The harbour lamp is lit at dusk. Its keeper is relieved every Tuesday at noon.',
    filename: 'lamp.txt',
    metadata: { kind: 'log', year: 2026 },
    folder_name: '/harbour',
  },
})
export class IngestTextRequest extends IngestFields {
  @TextField({
    required: true,
    notBlank: true,
    description: 'The text of the document.',
    example: 'The GC-200 keeps the climate of one greenhouse of up to 120 square metres.',
  })
  content: string;
}

/** What comes with every new document. */
export interface IngestOptions {
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
  /** Normalised folder path. */
  readonly folder: string | null;
  readonly endUserId: string | null;
  readonly useColpali: boolean;
  readonly rules: readonly Rule[];
}

/** The options of the service from the members of a request. */
export function ingestOptionsOf(fields: IngestFields): IngestOptions {
  return {
    filename: fields.filename,
    metadata: fields.metadata ?? {},
    metadataTypes: fields.metadata_types,
    folder: fields.folder_name,
    endUserId: fields.end_user_id,
    useColpali: fields.use_colpali ?? false,
    rules: withDeclaredTypes(fields.rules ?? [], fields.metadata_types),
  };
}
