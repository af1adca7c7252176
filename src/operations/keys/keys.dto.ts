import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty } from 'class-validator';
import type { IssuedKey } from '../../auth/key.service.js';
import type { ApiKeyEntity } from '../../auth/api-key.entity.js';
import { type Permission, PERMISSIONS, tenantText } from '../../auth/scope.js';
import { networkText } from '../../auth/networks.js';
import { QUOTA_KINDS, type Quotas } from '../../config/quotas.js';
import { Invalid, itemFor } from '../../errors/index.js';
import { Examples } from '../../http/input/examples.js';
import {
  ChoiceListField,
  IntegerField,
  ParsedObjectField,
  TextField,
  TextListField,
} from '../../http/input/fields.js';
import type { Parse } from '../../http/input/input.pipe.js';
import { eachOf } from '../../http/input/parse.js';

const SCOPES = {
  description: 'Permissions of the key; `admin` includes the others.',
  example: ['read', 'query'],
};
const HUNDRED_YEARS = 100 * 366 * 86_400;

const networksOf: Parse = (value, loc) => {
  if ((value as unknown[]).length > 0) return eachOf(networkText)(value, loc);
  throw Invalid.at(loc, 'Value error, must name at least one network; null allows all clients');
};

const quotasOf: Parse = (value, loc) => {
  const items = Object.entries(value as object).flatMap(([name, bound]) => {
    if (!QUOTA_KINDS.some((kind) => kind === name)) {
      return [itemFor([...loc, name], 'isIn', QUOTA_KINDS)];
    }
    return typeof bound === 'number' && Number.isSafeInteger(bound) && bound >= 0
      ? []
      : [itemFor([...loc, name], 'isInt')];
  });
  if (items.length > 0) throw new Invalid(items);
  return value;
};

@Examples({
  'A key that searches for thirty days': { name: 'search page', scopes: ['read'], expires_in: 2_592_000 },
})
export class CreateKeyDto {
  @TextField({
    description: 'A name that distinguishes the key from others.',
    example: 'search page',
    required: true,
    notEmpty: true,
    maxLength: 200,
  })
  name: string;

  @ArrayNotEmpty({ message: 'Value error, a key needs at least one permission' })
  @ChoiceListField({ ...SCOPES, values: PERMISSIONS, required: true, openapi: { minItems: 1 } })
  scopes: Permission[];

  @TextField({
    description:
      'The tenant of the key. Only admin keys of the default tenant may create keys for other tenants.',
    example: 'acme',
    nullable: true,
    notEmpty: true,
    maxLength: 200,
    parse: tenantText,
  })
  app_id: string | null = null;

  @TextField({
    description:
      'The end user that the key belongs to. Such a key acts for this end user only: it sees their chats, responses and conversations, their documents, and documents without an end user. null: a key of an application or an administrator.',
    example: 'ann',
    nullable: true,
    notEmpty: true,
    maxLength: 256,
  })
  end_user_id: string | null = null;

  @TextListField({
    description:
      'IP addresses and ranges (CIDR) of the clients that may use the key; others get a 403. Behind a reverse proxy it needs TRUST_PROXY. null: all clients.',
    example: ['10.0.0.0/8'],
    nullable: true,
    maxSize: 100,
    openapi: { minItems: 1 },
    parse: networksOf,
  })
  networks: string[] | null = null;

  @IntegerField({
    description: 'Seconds until the key expires. null: ten years.',
    example: 2_592_000,
    nullable: true,
    positive: true,
    max: HUNDRED_YEARS,
  })
  expires_in: number | null = null;

  @ParsedObjectField({
    description:
      'What the end user of the key may have and use, instead of QUOTA_PERSON. Without an end user: bounds for the calls of the key besides QUOTA_TENANT. null: as in the settings.',
    example: { documents: 1_000, model_tokens: 100_000 },
    nullable: true,
    parse: quotasOf,
  })
  quotas: Quotas | null = null;

  @TextListField({
    description:
      'The models besides the configured one that the key and its browser tokens may name. null: LLM_ALLOWED_MODELS for keys without `write`, otherwise every model.',
    example: ['openai/gpt-4o-mini'],
    nullable: true,
    maxSize: 100,
  })
  models: string[] | null = null;

  @IntegerField({
    description:
      'Tokens of the largest answer that the key and its browser tokens may get. null: LLM_MAX_ANSWER_TOKENS for keys without `write`, otherwise no limit.',
    example: 1_000,
    nullable: true,
    positive: true,
  })
  max_answer_tokens: number | null = null;
}

/** Query string of the routes for existing keys. */
export class KeysQuery {
  @TextField({
    description:
      'The tenant of the keys. Default: the tenant of the calling key. Only admin keys of the default tenant may name another one.',
    notEmpty: true,
    maxLength: 200,
  })
  app_id?: string;
}

/** The properties of a key. The key itself is shown only once, when it is issued. */
export class KeyDto {
  @ApiProperty({
    format: 'uuid',
    description: 'Id of the key.',
    example: '6f1c4a52-0d0e-4d5c-9d6c-0a4b1f3f2f11',
  })
  id: string;

  @ApiProperty({ description: 'Name of the key.', example: 'search page' })
  name: string;

  @ApiProperty({ description: 'Tenant of the key.', example: 'default' })
  app_id: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'The end user that the key belongs to; null for a key of an application or an administrator.',
    example: 'ann',
  })
  end_user_id: string | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'Networks of the clients that may use the key; null: all.',
    example: null,
  })
  networks: readonly string[] | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    nullable: true,
    description: 'Quotas of the key; null: as in the settings.',
    example: null,
  })
  quotas: Quotas | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    nullable: true,
    description: 'Models besides the configured one; null: as in the settings.',
    example: null,
  })
  models: readonly string[] | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Tokens of the largest answer; null: as in the settings.',
    example: null,
  })
  max_answer_tokens: number | null;

  @ApiProperty({
    description:
      'Whether its person signs in at the identity provider or the proxy. Nobody holds such a key, and it needs no sign-in link.',
    example: false,
  })
  signs_in_elsewhere: boolean;

  @ApiProperty({ ...SCOPES, type: 'array', items: { type: 'string', enum: [...PERMISSIONS] } })
  scopes: Permission[];

  @ApiProperty({ format: 'date-time', description: 'Creation time.', example: '2026-01-31T12:00:00.000Z' })
  created_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Expiry time.',
    example: '2036-01-29T12:00:00.000Z',
  })
  expires_at: string | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Time of the revocation; null if the key is not revoked.',
    example: null,
  })
  revoked_at: string | null;
}

export class IssuedKeyDto extends KeyDto {
  @ApiProperty({
    description: 'The API key. It is shown only once and not stored.',
    example: '<API_KEY>',
  })
  key: string;
}

const WEEK = 7 * 86_400;

export class SignInLinkQuery extends KeysQuery {
  @IntegerField({
    inText: true,
    description: 'Seconds until the link expires, at most a week. Default: a day.',
    positive: true,
    max: WEEK,
  })
  expires_in = 86_400;
}

export class SignInLinkDto {
  @ApiProperty({
    description:
      'Opens the playground, which exchanges the code for the key. The code is in the fragment, which no server logs.',
    example: 'https://lectern.example/#/sign-in/AAECAwQ',
  })
  url: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'End user of the key.', example: 'ann' })
  end_user_id: string | null;

  @ApiProperty({ ...SCOPES, type: 'array', items: { type: 'string', enum: [...PERMISSIONS] } })
  scopes: Permission[];

  @ApiProperty({
    format: 'date-time',
    description: 'Expiry time of the link; not later than that of the key.',
    example: '2026-02-01T12:00:00.000Z',
  })
  expires_at: string;
}

/** What a sign-in link opens. */
export class InvitationDto {
  @ApiProperty({ description: 'Name of the key.', example: 'Ann Lee' })
  name: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The end user whose chats and documents the link opens; null: the key has none.',
    example: 'ann',
  })
  end_user_id: string | null;

  @ApiProperty({ ...SCOPES, type: 'array', items: { type: 'string', enum: [...PERMISSIONS] } })
  scopes: Permission[];

  @ApiProperty({
    format: 'date-time',
    description: 'Expiry time of the link.',
    example: '2026-02-01T12:00:00.000Z',
  })
  expires_at: string;
}

@Examples({ 'A code from a link': { code: 'AAECAwQ' } })
export class SignInRequest {
  @TextField({
    description: 'The code in the fragment of a sign-in link.',
    example: 'AAECAwQ',
    required: true,
    notEmpty: true,
    maxLength: 2_000,
  })
  code: string;
}

/** @param accounts ids of keys whose person signs in elsewhere */
export function toKeyDto(key: ApiKeyEntity, accounts: ReadonlySet<string> = new Set()): KeyDto {
  return {
    id: key.id,
    name: key.name,
    app_id: key.appId,
    end_user_id: key.endUserId,
    networks: key.networks,
    quotas: key.quotas,
    models: key.models,
    max_answer_tokens: key.maxAnswerTokens,
    signs_in_elsewhere: accounts.has(key.id),
    scopes: [...key.permissions],
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

export function toIssuedKeyDto({ stored, token }: IssuedKey): IssuedKeyDto {
  return Object.assign(toKeyDto(stored), { key: token });
}
