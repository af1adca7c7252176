import type { Location } from '../errors/index.js';
import { normaliseFolderPath } from '../filters/folders.js';
import { parseFilter } from '../filters/parse/parse-filter.js';
import type { Parse } from '../http/input/input.pipe.js';
import { Field, IntegerField, NOT_BLANK, ParsedObjectField, TextField } from '../http/input/fields.js';
import { eachOf, text } from '../http/input/parse.js';

/** The fields of a body that narrow which documents a request sees: the same in retrieval, completion and search. */
export function FilterField(): PropertyDecorator {
  return ParsedObjectField({
    description: 'Filter over the metadata of documents, in the language of docs/filters.md.',
    example: { department: 'research', year: { $gte: 2024 } },
    nullable: true,
    parse: parseFilter,
  });
}

const folderPath = (value: unknown, loc: Location): string => normaliseFolderPath(text(value, loc), loc);

const FOLDER_PATH = { type: 'string', pattern: NOT_BLANK };

/** One path or a list of them; always a list afterwards. */
const folderPaths: Parse = (value, loc) =>
  Array.isArray(value) ? eachOf(folderPath)(value, loc) : [folderPath(value, loc)];

export function FolderNamesField(): PropertyDecorator {
  return Field(
    {
      description:
        'Folder path or paths, any of which will do. A folder that does not exist matches nothing, and so does an empty array. null: every folder.',
      example: ['/manuals', '/handbook'],
      nullable: true,
      parse: folderPaths,
    },
    { oneOf: [FOLDER_PATH, { type: 'array', items: FOLDER_PATH }] },
  );
}

export function FolderDepthField(): PropertyDecorator {
  return IntegerField({
    description:
      'null or 0: the folders themselves. -1: everything below them too. n > 0: up to n levels below.',
    example: 0,
    nullable: true,
    min: -1,
  });
}

export function EndUserField(): PropertyDecorator {
  return TextField({
    description: 'Only documents that were stored for this end user.',
    example: 'user-42',
    nullable: true,
  });
}
