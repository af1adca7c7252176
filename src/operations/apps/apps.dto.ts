import { ApiProperty } from '@nestjs/swagger';
import { MAX_SHARDS, tenantText } from '../../auth/scope.js';
import { Invalid, type Location } from '../../errors/index.js';
import type { Filter } from '../../filters/filter.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { Examples } from '../../http/input/examples.js';
import { IntegerField, TextField } from '../../http/input/fields.js';
import { parseTextFilter } from './app-filter.js';

const MAX_NAME = 200;
/** Maximum lifetime of a key: about a hundred years. */
const MAX_DAYS = 36_600;
/** Default lifetime of a key: fifteen years, as existing clients expect. */
export const DEFAULT_DAYS = 5_475;

/** Returns the form of a name in which it is stored and looked up. */
function cleaned(name: string): string {
  return name.trim().replaceAll(' ', '_').toLowerCase();
}

const NAME = {
  description:
    'Name of the application. It is part of the URI, so spaces become underscores and capital letters become lower case.',
  example: 'acme',
  maxLength: MAX_NAME,
  notBlank: true,
  parse: (value: unknown, loc: Location) => cleaned(tenantText(value, loc)),
} as const;
const DAYS = {
  description: `Days until the key expires. Default: ${DEFAULT_DAYS}.`,
  min: 1,
  max: MAX_DAYS,
} as const;
const APP_ID = {
  description: 'Id of the application.',
  notEmpty: true,
  maxLength: MAX_NAME,
};
const APP_NAME = {
  description: 'Name.',
  example: 'acme',
  notEmpty: true,
  maxLength: MAX_NAME,
  parse: (value: unknown) => cleaned(value as string),
};

/** Fields of the form of `POST /local/generate_uri`. */
export class LocalUriForm {
  @TextField({
    required: true,
    notEmpty: true,
    description: 'An admin key of the default tenant, such as ADMIN_KEY.',
  })
  password_token: string;

  @TextField(NAME)
  name = 'admin';

  @IntegerField({ inText: true, ...DAYS })
  expiry_days: number = DEFAULT_DAYS;
}

@Examples({ 'New application': { name: 'acme' } })
export class CloudUriDto {
  @TextField({ ...NAME, required: true })
  name: string;

  @TextField({
    ...APP_ID,
    description: 'Id of the new application; null: a new UUID.',
    nullable: true,
    parse: tenantText,
  })
  app_id: string | null = null;

  @IntegerField({
    description:
      'Number of tenant shards, for applications larger than a cluster node (docs/operate/scale.md). Cannot be changed later.',
    min: 1,
    max: MAX_SHARDS,
    example: 1,
  })
  parts = 1;

  @IntegerField({ ...DAYS, nullable: true })
  expiry_days: number | null = null;
}

export class AppsQuery {
  @TextField({
    parse: parseTextFilter,
    description:
      'Filter on the id, as JSON, with the operators of docs/guide/filters.md: `{"$in": ["acme", "umbrella"]}`.',
  })
  app_id_filter?: Filter | null;

  @TextField({ parse: parseTextFilter, description: 'Filter on the name: `{"$regex": "^ac"}`.' })
  app_name_filter?: Filter | null;

  @TextField({ description: 'Organisations are not supported: a value returns no applications.' })
  org_id?: string;

  @TextField({ description: 'Users are not supported: a value returns no applications.' })
  user_id?: string;

  @IntegerField({
    inText: true,
    min: 1,
    max: 500,
    description: 'Maximum number of applications. Default: 100.',
  })
  limit = 100;

  @IntegerField({ inText: true, min: 0, description: 'Number of applications to skip.' })
  offset = 0;
}

export class DeleteAppQuery {
  @TextField({ ...APP_NAME, description: 'Name of the application to delete.', required: true })
  app_name: string;
}

function named({ app_id, app_name }: { readonly app_id?: string; readonly app_name?: string }): void {
  if (app_id === undefined && app_name === undefined) {
    throw Invalid.at([], 'Value error, app_id or app_name is required');
  }
}

@CrossField<RotateQuery>(['app_id', 'app_name', 'expiry_days'], named)
export class RotateQuery {
  @TextField(APP_ID)
  app_id?: string;

  @TextField(APP_NAME)
  app_name?: string;

  @IntegerField({ inText: true, ...DAYS })
  expiry_days: number = DEFAULT_DAYS;
}

@CrossField<RenameQuery>(['app_id', 'app_name', 'new_name'], named)
export class RenameQuery {
  @TextField(APP_ID)
  app_id?: string;

  @TextField(APP_NAME)
  app_name?: string;

  @TextField({ ...NAME, example: 'acme_labs', required: true })
  new_name: string;
}

const ID = { type: 'string', description: 'Application id; never changes.', example: 'acme' } as const;
const URI = {
  type: 'string',
  description: 'Connection URI. Contains the key, which is not stored and not shown again.',
  example: 'morphik://acme:<API_KEY>@localhost:8000',
} as const;

export class LocalUriDto {
  @ApiProperty(URI)
  uri: string;
}

export class CloudUriAnswerDto extends LocalUriDto {
  @ApiProperty(ID)
  app_id: string;
}

const UNKNOWN = { type: 'string', nullable: true, description: 'Not supported.', example: null } as const;

export class AppDto {
  @ApiProperty(ID)
  app_id: string;

  @ApiProperty(UNKNOWN)
  org_id: null;

  @ApiProperty(UNKNOWN)
  user_id: null;

  @ApiProperty(UNKNOWN)
  created_by_user_id: null;

  @ApiProperty({ description: 'Name.', example: 'acme' })
  name: string;

  @ApiProperty({ ...UNKNOWN, description: 'Always null: keys are shown only once.' })
  uri: null;

  @ApiProperty({ format: 'date-time', description: 'Creation time.', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;

  @ApiProperty({
    type: 'integer',
    description: 'Number of tenant shards; 1: not divided.',
    example: 1,
  })
  parts: number;
}

export class AppListDto {
  @ApiProperty({ type: [AppDto], description: 'Applications, newest first.' })
  apps: AppDto[];

  @ApiProperty({ type: 'integer', description: 'Number of applications in this response.', example: 1 })
  count: number;
}

export class DeletedAppDto {
  @ApiProperty({ description: 'Name.', example: 'acme' })
  app_name: string;

  @ApiProperty({ type: 'string', description: 'Always deleted.', example: 'deleted' })
  status: 'deleted';

  @ApiProperty({ type: 'integer', description: 'Number of deleted documents.', example: 12 })
  documents_deleted: number;

  @ApiProperty({ type: 'integer', description: 'Number of deleted folders.', example: 2 })
  folders_deleted: number;
}

export class RotatedAppDto {
  @ApiProperty(ID)
  app_id: string;

  @ApiProperty({ description: 'Name.', example: 'acme' })
  app_name: string;

  @ApiProperty({ type: 'integer', description: 'Number of key rotations.', example: 1 })
  token_version: number;

  @ApiProperty(URI)
  uri: string;
}

export class RenamedAppDto {
  @ApiProperty(ID)
  app_id: string;

  @ApiProperty({ description: 'New name.', example: 'acme_labs' })
  app_name: string;

  @ApiProperty({
    ...UNKNOWN,
    description: 'Always null: keys stay valid and are not shown again.',
  })
  uri: null;
}
