import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { ArrayNotEmpty } from 'class-validator';
import { MAX_ID_LENGTH, parsePrincipal } from '../../access/principal.js';
import { type Permission, PERMISSIONS } from '../../auth/scope.js';
import { Examples } from '../../http/input/examples.js';
import {
  ChoiceField,
  ChoiceListField,
  FlagField,
  IntegerField,
  NestedListField,
  TextField,
  TextListField,
} from '../../http/input/fields.js';
import { eachOf } from '../../http/input/parse.js';
import { SignInLinkDto } from '../keys/keys.dto.js';
import {
  PERSON_ORDERS,
  PERSON_STATES,
  type Person,
  type PersonSelection,
  type Possessions,
} from './people.types.js';

/** People in one request of invitations. */
const MAX_INVITED = 200;
/** Principals in one request for names. */
const MAX_NAMED = 200;
const MAX_GROUPS = 100;
const MAX_NAME = 200;
const WEEK = 7 * 86_400;

const GROUPS = {
  maxSize: MAX_GROUPS,
  nullable: true,
  example: ['sales'],
};

const DETAIL: ApiPropertyOptions = {
  type: 'string',
  nullable: true,
  description:
    'What tells people of one name apart, from the identity provider (OIDC_DETAIL_CLAIM); null: it is not known.',
  example: 'ann.lee@example.com',
};

export class PeopleQuery {
  @TextField({
    maxLength: MAX_ID_LENGTH,
    description:
      'Part of the name, id or detail, or beginnings of their words in any order; in any case, with or without accents.',
  })
  q?: string;

  @ChoiceField({ values: PERMISSIONS, description: 'Only people who have this permission.' })
  scope?: Permission;

  @TextField({ maxLength: MAX_ID_LENGTH, description: 'Only members of this group.' })
  group?: string;

  @ChoiceField({
    values: PERSON_STATES,
    description: 'People with a working key (`active`), those whose access ended, or all. Default: `active`.',
  })
  state: PersonSelection['state'] = 'active';

  @ChoiceField({
    values: PERSON_ORDERS,
    description: '`last_active`, `questions` and `since` begin with the largest. Default: `name`.',
  })
  sort: PersonSelection['order'] = 'name';

  @IntegerField({ inText: true, min: 0, description: 'People before the first. Default: 0.' })
  skip = 0;

  @IntegerField({ inText: true, min: 1, max: 500, description: 'Maximum number of people. Default: 50.' })
  limit = 50;
}

export class PersonPath {
  @TextField({ required: true, maxLength: MAX_ID_LENGTH, description: 'The end user.', example: 'ann' })
  person_id: string;
}

export class PersonDto {
  @ApiProperty({ description: 'The end user.', example: 'ann' })
  id: string;

  @ApiProperty({
    description: 'Name of the oldest key of the person that works: that of the invitation.',
    example: 'Ann Lee',
  })
  name: string;

  @ApiProperty(DETAIL)
  detail: string | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...PERMISSIONS] },
    description: 'Permissions of all working keys; empty if none works.',
    example: ['read', 'query'],
  })
  scopes: Permission[];

  @ApiProperty({ type: [String], description: 'Groups of the person.', example: ['sales'] })
  groups: string[];

  @ApiProperty({ description: 'Whether a key of the person works.', example: true })
  active: boolean;

  @ApiProperty({
    description: 'Whether the person signs in at the identity provider or the proxy.',
    example: false,
  })
  signs_in_elsewhere: boolean;

  @ApiProperty({
    description:
      'Whether the identity provider or the proxy makes the person an administrator: the permissions are changed there.',
    example: false,
  })
  admin_elsewhere: boolean;

  @ApiProperty({
    format: 'date-time',
    description: 'Time of the first key.',
    example: '2026-01-31T12:00:00.000Z',
  })
  since: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time of the last request, accurate to a minute; null: none is known.',
    example: '2026-02-01T12:00:00.000Z',
  })
  last_active_at: string | null;

  @ApiProperty({ type: 'integer', description: 'Questions within a week.', example: 12 })
  questions: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Documents that belong to the person; null: the key may not know it.',
    example: 3,
  })
  documents: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Chats of the person; null: the key may not know it.',
    example: 7,
  })
  chats: number | null;
}

export class PeoplePageDto {
  @ApiProperty({ type: [PersonDto], description: 'A page of the people that match.' })
  people: PersonDto[];

  @ApiProperty({ type: 'integer', description: 'Number of all people that match.', example: 304 })
  total: number;
}

export class NewPersonDto {
  @TextField({
    required: true,
    notBlank: true,
    maxLength: MAX_NAME,
    description: 'Name.',
    example: 'Ann Lee',
  })
  name: string;

  @TextField({
    required: true,
    notEmpty: true,
    maxLength: MAX_ID_LENGTH,
    description: 'Id of the end user.',
    example: 'ann-lee',
  })
  end_user_id: string;

  @ArrayNotEmpty({ message: 'Value error, a person needs at least one permission' })
  @ChoiceListField({
    values: PERMISSIONS,
    required: true,
    description: 'Permissions; `admin` includes the others.',
    example: ['read', 'query'],
    openapi: { minItems: 1 },
  })
  scopes: Permission[];

  @TextListField({ ...GROUPS, description: 'Groups that the person joins. They must exist.' })
  groups: string[] | null = null;
}

@Examples({
  'Two colleagues': {
    people: [
      { name: 'Ann Lee', end_user_id: 'ann-lee', scopes: ['read', 'query'] },
      { name: 'Bert Ray', end_user_id: 'bert-ray', scopes: ['read', 'query', 'write'] },
    ],
  },
})
export class InvitePeopleDto {
  @NestedListField({
    type: () => NewPersonDto,
    required: true,
    maxSize: MAX_INVITED,
    description: `1 to ${MAX_INVITED} people, none of whom has a working key.`,
    openapi: { minItems: 1 },
  })
  @ArrayNotEmpty({ message: 'Value error, must name at least one person' })
  people: NewPersonDto[];

  @IntegerField({
    positive: true,
    max: WEEK,
    description: 'Seconds until the links expire, at most a week. Default: a week.',
    example: 86_400,
  })
  expires_in = WEEK;
}

export class InvitedPersonDto extends SignInLinkDto {
  @ApiProperty({ description: 'Name.', example: 'Ann Lee' })
  name: string;
}

export class InvitedPeopleDto {
  @ApiProperty({ type: [InvitedPersonDto], description: 'In the order of the request.' })
  people: InvitedPersonDto[];
}

@Examples({ 'Another role': { scopes: ['read', 'query', 'write'] } })
export class ChangePersonDto {
  @TextField({
    nullable: true,
    notBlank: true,
    maxLength: MAX_NAME,
    description: 'New name.',
    example: 'Ann Ray',
  })
  name: string | null = null;

  @ArrayNotEmpty({ message: 'Value error, a person needs at least one permission' })
  @ChoiceListField({
    values: PERMISSIONS,
    nullable: true,
    description:
      'New permissions. They count within a second where the person is signed in; a key in a program keeps at most the permissions that it was made with.',
    example: ['read', 'query', 'write'],
    openapi: { minItems: 1 },
  })
  scopes: Permission[] | null = null;

  @TextListField({
    ...GROUPS,
    description: 'All groups of the person from now on. Those that the identity provider names stay.',
  })
  groups: string[] | null = null;

  @FlagField({
    nullable: true,
    description:
      'true: a person whose access ended signs in at the identity provider or the proxy again, with the permissions from before and without groups of the tenant. Invite a person who signs in by a link.',
  })
  active: boolean | null = null;
}

const FATES = ['keep', 'delete', 'hand_over'] as const;

export class RemovePersonQuery {
  @ChoiceField({
    values: FATES,
    description:
      'Documents, folders, vector stores and uploaded files of the person. `keep`: an administrator without an end user reads them. `delete`: a folder in which others have documents, or which is shared with them, stays without its owner, and what others made of a file stays. `hand_over`: they belong to the person `to`. Default: `keep`.',
  })
  documents: (typeof FATES)[number] = 'keep';

  @ChoiceField({
    values: ['keep', 'delete'],
    description:
      'Chats, conversations and responses of the person. `keep`: an administrator without an end user reads them. Default: `keep`.',
  })
  chats: 'keep' | 'delete' = 'keep';

  @TextField({ notEmpty: true, maxLength: MAX_ID_LENGTH, description: 'Who gets the documents.' })
  to?: string;
}

export class RemovedPersonDto {
  @ApiProperty({ type: 'integer', description: 'Keys of the person, which no longer work.', example: 1 })
  keys: number;

  @ApiProperty({ type: 'integer', description: 'Documents that were deleted.', example: 0 })
  documents_deleted: number;

  @ApiProperty({ type: 'integer', description: 'Documents that were handed over.', example: 3 })
  documents_handed_over: number;

  @ApiProperty({ type: 'integer', description: 'Uploaded files that were deleted.', example: 0 })
  files_deleted: number;

  @ApiProperty({ type: 'integer', description: 'Folders and vector stores that were deleted.', example: 0 })
  folders_deleted: number;

  @ApiProperty({
    type: 'integer',
    description: 'Chats, conversations and responses that were deleted.',
    example: 0,
  })
  chats_deleted: number;
}

export class DirectoryQuery {
  @TextField({
    notBlank: true,
    maxLength: MAX_ID_LENGTH,
    description:
      'Part of the name, id or detail of active people and groups, or beginnings of their words in any order; in any case, with or without accents. Needs `write`.',
  })
  q?: string;

  @TextListField({
    inText: true,
    maxSize: MAX_NAMED,
    parse: eachOf((value, loc) => parsePrincipal(value as string, loc)),
    description: `Up to ${MAX_NAMED} \`user:ID\` or \`group:ID\` whose names are wanted.`,
  })
  ids: string[] = [];

  @IntegerField({
    inText: true,
    min: 1,
    max: 50,
    description: 'Maximum number of names for `q`. Default: 10.',
  })
  limit = 10;
}

export class NamedDto {
  @ApiProperty({ description: '`user:ID` or `group:ID`, as in access lists.', example: 'user:ann' })
  id: string;

  @ApiProperty({ description: 'Name.', example: 'Ann Lee' })
  name: string;

  @ApiProperty(DETAIL)
  detail: string | null;

  @ApiProperty({
    description:
      'Whether it is a group of the identity provider. The tenant may have a group of its own with the same name.',
    example: false,
  })
  provided: boolean;
}

export function toPersonDto(person: Person, owned: Possessions | undefined): PersonDto {
  return {
    id: person.id,
    name: person.name,
    detail: person.detail,
    scopes: [...person.permissions],
    groups: [...person.groups],
    active: person.isActive,
    signs_in_elsewhere: person.signsInElsewhere,
    admin_elsewhere: person.isAdminElsewhere,
    since: person.since.toISOString(),
    last_active_at: person.lastActiveAt?.toISOString() ?? null,
    questions: person.questions,
    documents: owned?.documents ?? null,
    chats: owned?.chats ?? null,
  };
}
