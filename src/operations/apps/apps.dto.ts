import { ApiProperty } from '@nestjs/swagger';
import { MAX_SHARDS, tenantText } from '../../auth/tenant-shards.js';
import { Invalid } from '../../errors/index.js';
import type { Filter } from '../../filters/filter.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { Examples } from '../../http/input/examples.js';
import { IntegerField, TextField } from '../../http/input/fields.js';
import { parseTextFilter } from './app-filter.js';

const MAX_NAME = 200;
/** A hundred years. */
const MAX_DAYS = 36_600;
/** Fifteen years, as clients of this family expect when they say nothing. */
export const DEFAULT_DAYS = 5_475;

const NAME = {
  description:
    'Name of the application; blanks become underscores and capitals small letters, because it stands in the URI.',
  example: 'acme',
  maxLength: MAX_NAME,
  notBlank: true,
  parse: tenantText,
} as const;
const DAYS = {
  description: `Days until the key expires; ${DEFAULT_DAYS} unless given.`,
  min: 1,
  max: MAX_DAYS,
} as const;
const APP_ID = {
  description: 'Id of the application.',
  notEmpty: true,
  maxLength: MAX_NAME,
};
const APP_NAME = { description: 'Its name.', example: 'acme', notEmpty: true, maxLength: MAX_NAME };

/** Members of the form of `POST /local/generate_uri`. */
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

@Examples({ 'A new application': { name: 'acme' } })
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
      'Parts over which its documents are divided, for one that is to be larger than a node of a cluster (docs/operate/scale.md). It stays as it is.',
    min: 1,
    max: MAX_SHARDS,
    example: 1,
  })
  parts = 1;

  @IntegerField({ ...DAYS, nullable: true })
  expiry_days: number | null = null;
}

/** Query string of `GET /apps`. */
export class AppsQuery {
  @TextField({
    parse: parseTextFilter,
    description:
      'Filter over the id, as JSON, with the operators of docs/guide/filters.md: `{"$in": ["acme", "umbrella"]}`.',
  })
  app_id_filter?: Filter | null;

  @TextField({ parse: parseTextFilter, description: 'Filter over the name, likewise: `{"$regex": "^ac"}`.' })
  app_name_filter?: Filter | null;

  @TextField({ description: 'Organisations are not known here: none has an application.' })
  org_id?: string;

  @TextField({ description: 'Users are not known here: none has an application.' })
  user_id?: string;

  @IntegerField({
    inText: true,
    min: 1,
    max: 500,
    description: 'Most applications to return; 100 unless given.',
  })
  limit = 100;

  @IntegerField({ inText: true, min: 0, description: 'Applications to pass over.' })
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

const ID = { type: 'string', description: 'Its id, which never changes.', example: 'acme' } as const;
const URI = {
  type: 'string',
  description: 'What clients connect with. The key in it is shown this once and stored nowhere.',
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

const UNKNOWN = { type: 'string', nullable: true, description: 'Not known here.', example: null } as const;

export class AppDto {
  @ApiProperty(ID)
  app_id: string;

  @ApiProperty(UNKNOWN)
  org_id: null;

  @ApiProperty(UNKNOWN)
  user_id: null;

  @ApiProperty(UNKNOWN)
  created_by_user_id: null;

  @ApiProperty({ description: 'Its name.', example: 'acme' })
  name: string;

  @ApiProperty({ ...UNKNOWN, description: 'Keys are shown once and stored nowhere.' })
  uri: null;

  @ApiProperty({ format: 'date-time', description: 'When it was made.', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;

  @ApiProperty({
    type: 'integer',
    description: 'Parts over which its documents are divided; 1: it is undivided.',
    example: 1,
  })
  parts: number;
}

export class AppListDto {
  @ApiProperty({ type: [AppDto], description: 'Applications, newest first.' })
  apps: AppDto[];

  @ApiProperty({ type: 'integer', description: 'How many are in this answer.', example: 1 })
  count: number;
}

export class DeletedAppDto {
  @ApiProperty({ description: 'Its name.', example: 'acme' })
  app_name: string;

  @ApiProperty({ type: 'string', description: 'Always deleted.', example: 'deleted' })
  status: 'deleted';

  @ApiProperty({ type: 'integer', description: 'Documents that it had.', example: 12 })
  documents_deleted: number;

  @ApiProperty({ type: 'integer', description: 'Folders that it had.', example: 2 })
  folders_deleted: number;
}

export class RotatedAppDto {
  @ApiProperty(ID)
  app_id: string;

  @ApiProperty({ description: 'Its name.', example: 'acme' })
  app_name: string;

  @ApiProperty({ type: 'integer', description: 'How often its keys were rotated.', example: 1 })
  token_version: number;

  @ApiProperty(URI)
  uri: string;
}

export class RenamedAppDto {
  @ApiProperty(ID)
  app_id: string;

  @ApiProperty({ description: 'Its new name.', example: 'acme_labs' })
  app_name: string;

  @ApiProperty({
    ...UNKNOWN,
    description: 'Its keys work as before; they are shown once and stored nowhere.',
  })
  uri: null;
}
