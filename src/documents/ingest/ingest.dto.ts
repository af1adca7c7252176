import { ApiProperty } from '@nestjs/swagger';
import type { AccessChange } from '../../access/access-lists.js';
import { Invalid, type Location, violation } from '../../errors/index.js';
import { creatableFolder, normaliseFolderPath } from '../../filters/folders.js';
import { Examples } from '../../http/input/examples.js';
import {
  ChoiceField,
  Field,
  FlagField,
  JsonObjectField,
  NOT_BLANK,
  TextField,
  TextMapField,
} from '../../http/input/fields.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { eachOf, storableJson } from '../../http/input/parse.js';
import type { Rule } from '../../ingestion/rules/rule.js';
import { isJsonObject } from '../../json/exact-json.js';
import { GroupsField } from '../../retrieval/selection-fields.dto.js';
import { AccessControlField } from '../access-control.js';
import { NameField } from '../document-name.js';
import { DocumentDto } from '../document.dto.js';
import { ON_DUPLICATE, type OnDuplicate } from './duplicates.js';
import { RulesField } from './rule.dto.js';

type Members = Readonly<Record<string, unknown>>;

export function FolderField(): PropertyDecorator {
  return TextField({
    nullable: true,
    description: 'Folder path. Missing folders are created. A missing leading slash is added.',
    example: '/manuals/greenhouse',
    parse: (value, loc) => creatableFolder(normaliseFolderPath(String(value), loc), loc),
    openapi: { pattern: NOT_BLANK },
  });
}

export function EndUserField(): PropertyDecorator {
  return TextField({
    nullable: true,
    notEmpty: true,
    maxLength: 256,
    description: 'End user of the document.',
    example: 'user-17',
  });
}

function OnDuplicateField(): PropertyDecorator {
  return ChoiceField({
    nullable: true,
    values: ON_DUPLICATE,
    description:
      'If the caller may read a document of the same bytes in the same folder, shared or of the same end user: reject answers 409 and names it, return answers with its record, version replaces its content and merges the metadata, like an update. Default: another document.',
  });
}

export class IngestFields {
  @NameField({
    nullable: true,
    description: 'Name of the document. Default: the file name, or document_<id>.txt for text.',
    example: 'greenhouse-controller-manual.md',
  })
  filename: string | null = null;

  @JsonObjectField({
    nullable: true,
    description: 'Metadata to filter by. Reserved names (folder_name, external_id, ...) are rejected.',
    example: { product: 'GC-200', year: 2026 },
  })
  metadata: Members | null = null;

  @TextMapField({
    nullable: true,
    description:
      'Declared types by metadata key: string, number, decimal, boolean, datetime, date, array, object, null. The types of other keys are inferred.',
    example: { year: 'number' },
  })
  metadata_types: Readonly<Record<string, string>> | null = null;

  @FolderField()
  folder_name: string | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @GroupsField()
  groups: string[] | null = null;

  @AccessControlField('Who may read and change the document besides its owner. Default: as in its folder.')
  access_control: AccessChange | null = null;

  @RulesField({ nullable: true })
  rules: Rule[] | null = null;

  @OnDuplicateField()
  on_duplicate: OnDuplicate | null = null;

  @FlagField({
    nullable: true,
    description: 'Whether to embed page images besides the text, for use_colpali in retrieval.',
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

/** One object for all files, or a list with an object for each file. null means no object. */
type ForFiles = Members | readonly (Members | null)[] | null;

function nullOrObject(value: unknown, loc: Location): unknown {
  if (value === null || isJsonObject(value)) return value;
  throw violation(loc, 'isJsonObject');
}

const forFiles: Parse = (value, loc) => {
  if (Array.isArray(value)) eachOf(nullOrObject)(value, loc);
  else if (!isJsonObject(value)) {
    throw Invalid.at(loc, 'Input should be a valid dictionary, or a list of them', 'dict_type');
  }
  return storableJson(value, loc);
};

export class IngestFilesFields {
  @Field(
    {
      nullable: true,
      description: 'Metadata: one object for all files, or a list with one object per file.',
      parse: forFiles,
    },
    { type: 'object', additionalProperties: true },
  )
  metadata: ForFiles = null;

  @Field(
    {
      nullable: true,
      description:
        'Declared types by metadata key: one object for all files, or a list with one object per file.',
      parse: forFiles,
    },
    { type: 'object', additionalProperties: true },
  )
  metadata_types: ForFiles = null;

  @FolderField()
  folder_name: string | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @GroupsField()
  groups: string[] | null = null;

  @AccessControlField('Who may read and change the document besides its owner. Default: as in its folder.')
  access_control: AccessChange | null = null;

  @RulesField({ nullable: true })
  rules: Rule[] | null = null;

  @OnDuplicateField()
  on_duplicate: OnDuplicate | null = null;

  @FlagField({
    nullable: true,
    description: 'Whether to embed page images besides the text.',
    example: false,
  })
  use_colpali: boolean | null = null;
}

/**
 * Returns the fields of each of `count` files.
 *
 * @throws Invalid if a list does not have `count` members.
 */
export function fieldsOfFiles(fields: IngestFilesFields, count: number): IngestFields[] {
  const metadata = each(fields.metadata, count, ['body', 'metadata']);
  const types = each(fields.metadata_types, count, ['body', 'metadata_types']);
  return metadata.map((own, index) =>
    Object.assign(new IngestFields(), fields, { metadata: own, metadata_types: types[index] ?? null }),
  );
}

function each(value: ForFiles, count: number, loc: Location): readonly (Members | null)[] {
  if (!Array.isArray(value)) return Array.from({ length: count }, () => value as Members | null);
  const entries = value as readonly (Members | null)[];
  if (entries.length === count) return entries;
  throw Invalid.at(loc, `Value error, a list must have one entry per file (${count})`);
}

export class RefusedFileDto {
  @ApiProperty({ description: 'Name of the file.', example: 'huge.pdf' })
  filename: string;

  @ApiProperty({ description: 'Reason.', example: 'The file is larger than 200 MB' })
  error: string;
}

export class IngestedFilesDto {
  @ApiProperty({ type: [DocumentDto], description: 'The new documents, with status `processing`.' })
  documents: DocumentDto[];

  @ApiProperty({ type: [RefusedFileDto], description: 'Rejected files.' })
  errors: RefusedFileDto[];
}
