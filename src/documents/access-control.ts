import { ApiProperty } from '@nestjs/swagger';
import {
  effectiveLists,
  LIST_NAMES,
  parseAccessChange,
  MAX_PRINCIPALS,
  NOBODY,
} from '../access/access-lists.js';
import type { Owned } from '../access/may.js';
import { ParsedObjectField } from '../http/input/fields.js';

const EXAMPLE = ['user:ann', 'group:sales', 'everyone'];

/** Who may read and change a document, or what lies below a folder. */
export class AccessListsDto {
  @ApiProperty({
    type: [String],
    description: 'Who may read: `user:ID`, `group:ID`, `everyone`. The owner needs no entry.',
    example: [],
  })
  readers: string[];

  @ApiProperty({ type: [String], description: 'Who may also change the content.', example: [] })
  writers: string[];

  @ApiProperty({
    type: [String],
    description: 'Who may also delete it and change these lists.',
    example: [],
  })
  admins: string[];
}

export class AccessControlDto extends AccessListsDto {
  @ApiProperty({ type: [String], description: 'Tenants with access.', example: ['default'] })
  app_access: string[];
}

/** The lists that count for a document or a folder; empty without lists. */
export function accessListsOf({ access = null, folder_access = null }: Owned): AccessListsDto {
  const { readers, writers, admins } = effectiveLists({ access, folder_access }) ?? NOBODY;
  return { readers: [...readers], writers: [...writers], admins: [...admins] };
}

/** A body member with access lists. */
export function AccessControlField(description: string, { required = false } = {}): PropertyDecorator {
  const list = { type: 'array', items: { type: 'string' }, maxItems: MAX_PRINCIPALS };
  return ParsedObjectField({
    nullable: true,
    required,
    description: `${description} \`readers\`, \`writers\` and \`admins\` are lists of \`user:ID\`, \`group:ID\` and \`everyone\`; an id alone is a user.`,
    example: null,
    parse: parseAccessChange,
    openapi: {
      type: 'object',
      additionalProperties: false,
      properties: {
        ...Object.fromEntries(LIST_NAMES.map((name) => [name, { ...list, example: EXAMPLE }])),
        app_access: list,
      },
    } as object,
  });
}

/** Maximum length of lists in the audit log. */
const MAX_WORDS = 1_000;

/** Access lists of a request for the audit log. A request that is refused before its body is read has none. */
export function listsInWords(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const words = given === null ? 'as the folder' : JSON.stringify(given);
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}
