import { MAX_GROUPS } from '../access/acting-for.js';
import { type Location, violation } from '../errors/index.js';
import { normaliseFolderPath } from '../filters/folders.js';
import { parseFilter } from '../filters/parse/parse-filter.js';
import type { Parse } from '../http/input/input.pipe.js';
import {
  Field,
  IntegerField,
  NOT_BLANK,
  ParsedObjectField,
  TextField,
  TextListField,
} from '../http/input/fields.js';
import { eachOf, text } from '../http/input/parse.js';

/** A metadata filter. The fields of this file select documents in requests for retrieval, completion and search. */
export function FilterField(): PropertyDecorator {
  return ParsedObjectField({
    description: 'Metadata filter. See docs/guide/filters.md.',
    example: { department: 'research', year: { $gte: 2024 } },
    nullable: true,
    parse: parseFilter,
  });
}

const folderPath = (value: unknown, loc: Location): string => normaliseFolderPath(text(value, loc), loc);

const FOLDER_PATH = { type: 'string', pattern: NOT_BLANK };

/** Parses one path or a list of paths into a list. */
const folderPaths: Parse = (value, loc) =>
  Array.isArray(value) ? eachOf(folderPath)(value, loc) : [folderPath(value, loc)];

export function FolderNamesField(): PropertyDecorator {
  return Field(
    {
      description:
        'Folder path, or an array of alternative paths. An unknown folder and an empty array match nothing. null: every folder.',
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
      'null or 0: the folders only. -1: also all their descendants. n > 0: also descendants up to n levels deep.',
    example: 0,
    nullable: true,
    min: -1,
  });
}

/**
 * The groups of the person for whom an application acts. `access/acting-for.ts` reads them.
 * @param inText whether the field is part of a query string
 */
export function GroupsField({ inText = false } = {}): PropertyDecorator {
  return TextListField({
    inText,
    nullable: !inText,
    maxSize: MAX_GROUPS,
    parse: eachOf((value, loc) => {
      const group = text(value, loc);
      if (group === '') throw violation(loc, 'isNotEmpty');
      return group;
    }),
    description:
      'Groups of the person for whom an application asks. The request then finds and changes what the end user `end_user_id`, these groups and everyone may read. A key of a person needs no groups: it acts with those of the person.',
    // Swagger UI would fill in an example of a query string.
    ...(inText ? {} : { example: ['sales'] }),
  });
}

export function EndUserField(): PropertyDecorator {
  return TextField({
    description: 'Selects documents of this end user only.',
    example: 'user-42',
    nullable: true,
  });
}

/** Query string that selects documents by folder and end user. */
export class SelectionQuery {
  @TextListField({
    inText: true,
    parse: (value, loc) => (value as string[]).map((path) => normaliseFolderPath(path, loc)),
    description: 'Folder path, such as /manuals. Repeat the parameter for several folders.',
  })
  folder_name?: string[];

  @IntegerField({
    inText: true,
    min: -1,
    description: '0: the folder only; -1: all subfolders; n: n levels of subfolders.',
  })
  folder_depth?: number;

  @TextField({ description: 'Restricts the list to documents of this end user.' })
  end_user_id?: string;

  @GroupsField({ inText: true })
  groups?: string[];
}

export function selectionOf({ folder_name, folder_depth, end_user_id }: SelectionQuery): {
  readonly folders: readonly string[] | null;
  readonly folderDepth: number;
  readonly endUserId: string | null;
} {
  return { folders: folder_name ?? null, folderDepth: folder_depth ?? 0, endUserId: end_user_id ?? null };
}
