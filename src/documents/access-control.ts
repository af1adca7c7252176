import { ApiProperty } from '@nestjs/swagger';
import {
  effectiveLists,
  LIST_NAMES,
  parseAccessChange,
  MAX_PRINCIPALS,
  NOBODY,
} from '../access/access-lists.js';
import { type Owned, type Right, rightOf } from '../access/may.js';
import type { Caller } from '../access/principal.js';
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

const SOURCES = ['own', 'folder', 'none'] as const;

/** How somebody who reads a document or a folder stands to its access lists. */
export class OwnAccessDto {
  @ApiProperty({
    type: 'string',
    enum: SOURCES,
    description:
      'Whose lists `access_control` shows: its own, or those of a folder above. `none`: without any lists, a thing of a user is private, and a thing of the app is for everyone.',
    example: 'own',
  })
  access_source: (typeof SOURCES)[number];

  @ApiProperty({
    type: 'string',
    enum: ['read', 'write', 'manage'],
    description:
      'What the key may do with it. `write`: change content, name and metadata; `manage`: also delete it and change the lists.',
    example: 'manage',
  })
  your_access: Right;
}

export function ownAccessOf(
  caller: Caller,
  thing: Owned,
): Pick<OwnAccessDto, 'access_source' | 'your_access'> {
  const { access = null, folder_access: inherited = null } = thing;
  const ofFolder = inherited === null ? 'none' : 'folder';
  return { access_source: access === null ? ofFolder : 'own', your_access: rightOf(caller, thing) };
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
