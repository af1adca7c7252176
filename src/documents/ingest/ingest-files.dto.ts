import { Invalid, type Location } from '../../errors/index.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { violation } from '../../http/input/constraints.js';
import { Field, FlagField } from '../../http/input/fields.js';
import { eachOf, storableJson } from '../../http/input/parse.js';
import { withDeclaredTypes, type Rule } from '../../ingestion/rules/rule.js';
import { isJsonObject } from '../../json/json-object.js';
import { EndUserField, FolderField, type IngestOptions } from './ingest.dto.js';
import { RulesField } from '../rule.dto.js';

type Members = Readonly<Record<string, unknown>>;

/** One object for all files, or one for each; null is none. */
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

/** What comes with several new files. */
export class IngestFilesFields {
  @Field(
    {
      nullable: true,
      description: 'Metadata: an object for all files, or a list with one for each.',
      parse: forFiles,
    },
    { type: 'object', additionalProperties: true },
  )
  metadata: ForFiles = null;

  @Field(
    {
      nullable: true,
      description: 'Declared types by metadata key: an object for all files, or a list with one for each.',
      parse: forFiles,
    },
    { type: 'object', additionalProperties: true },
  )
  metadata_types: ForFiles = null;

  @FolderField()
  folder_name: string | null = null;

  @EndUserField()
  end_user_id: string | null = null;

  @RulesField({ nullable: true })
  rules: Rule[] | null = null;

  @FlagField({ nullable: true, description: 'Embed the pages as images beside the text.', example: false })
  use_colpali: boolean | null = null;
}

/**
 * The options of each of `count` files.
 * @throws Invalid when there is a list of another length.
 */
export function optionsOfFiles(fields: IngestFilesFields, count: number): IngestOptions[] {
  const metadata = each(fields.metadata, count, ['body', 'metadata']);
  const types = each(fields.metadata_types, count, ['body', 'metadata_types']);
  return metadata.map((own, index) => {
    const metadataTypes = types[index] ?? null;
    return {
      filename: null,
      metadata: own ?? {},
      metadataTypes,
      folder: fields.folder_name,
      endUserId: fields.end_user_id,
      useColpali: fields.use_colpali ?? false,
      rules: withDeclaredTypes(fields.rules ?? [], metadataTypes as Readonly<Record<string, string>> | null),
    };
  });
}

function each(value: ForFiles, count: number, loc: Location): readonly (Members | null)[] {
  if (!Array.isArray(value)) return Array.from({ length: count }, () => value as Members | null);
  const entries = value as readonly (Members | null)[];
  if (entries.length === count) return entries;
  throw Invalid.at(loc, `Value error, a list has to have one entry for each of the ${count} files`);
}
