import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty } from 'class-validator';
import { TOKEN_USE_NAMES, type TokenUse } from '../../auth/token-policy.js';
import { Invalid, type Location, violation } from '../../errors/index.js';
import { equalitiesIn } from '../../filters/equalities.js';
import { normaliseFolderPath } from '../../filters/folders.js';
import { parseFilter } from '../../filters/parse/parse-filter.js';
import { Examples } from '../../http/input/examples.js';
import {
  ChoiceListField,
  IntegerField,
  ParsedObjectField,
  TextField,
  TextListField,
} from '../../http/input/fields.js';
import { Closed, CrossField } from '../../http/input/input.pipe.js';
import { eachOf } from '../../http/input/parse.js';
import { printJson } from '../../json/exact-json.js';

/**
 * Maximum size of a filter in a token. The size is limited because a token is sent in a header, and servers reject long
 * headers.
 */
const MAX_FILTER_BYTES = 2_000;

const HOUR = 3_600;

const MAX_TOKEN_MODELS = 10;
const MAX_MODEL_LENGTH = 200;
const MAX_TOKEN_GROUPS = 50;

/** Maximum size of all groups of a token. */
const MAX_GROUPS_BYTES = 2_000;

function modelName(value: unknown, loc: Location): unknown {
  const name = value as string;
  if (name.trim() === '') throw violation(loc, 'isNotEmpty');
  if (name.length > MAX_MODEL_LENGTH) {
    throw Invalid.at(loc, `Value error, the name of a model has at most ${MAX_MODEL_LENGTH} characters`);
  }
  return name;
}

function groupIds(value: unknown, loc: Location): unknown {
  const groups = value as string[];
  const empty = groups.indexOf('');
  if (empty >= 0) throw violation([...loc, empty], 'isNotEmpty');
  if (Buffer.byteLength(groups.join('')) <= MAX_GROUPS_BYTES) return groups;
  throw Invalid.at(loc, `Value error, the groups of a token have at most ${MAX_GROUPS_BYTES} bytes`);
}

/** Validates a filter. Returns its JSON unchanged, because a token contains the filter as JSON. */
function filterJson(value: unknown, loc: Location): unknown {
  parseFilter(value, loc);
  if (Buffer.byteLength(printJson(value)) <= MAX_FILTER_BYTES) return value;
  throw Invalid.at(loc, `Value error, the filter of a token has at most ${MAX_FILTER_BYTES} bytes`);
}

@CrossField<CreateTokenDto>(['scopes', 'filters'], ({ scopes, filters }) => {
  if (filters === null || scopes?.includes('ingest') !== true || equalitiesIn(filters) !== undefined) return;
  throw Invalid.at(
    ['filters'],
    'Value error, a token with the scope "ingest" needs a filter of equalities, whose values its documents get',
  );
})
@Closed()
@Examples({
  'Ten minutes, for one visitor and one folder': {
    end_user_id: 'ann',
    folder_name: '/manuals',
    expires_in: 600,
  },
})
export class CreateTokenDto {
  @ArrayNotEmpty({ message: 'Value error, a token needs at least one scope' })
  @ChoiceListField({
    description:
      'What the token may be used for; see docs/guide/frontend.md. Each needs a permission of the key. null: `read` and `query`, as far as the key has them.',
    example: ['query', 'chunks', 'page_images'],
    values: TOKEN_USE_NAMES,
    nullable: true,
    openapi: { minItems: 1 },
  })
  scopes: TokenUse[] | null = null;

  @TextField({
    description: 'The end user for whom the token acts. null: the end user of the key.',
    example: 'ann',
    nullable: true,
    notEmpty: true,
    maxLength: 256,
  })
  end_user_id: string | null = null;

  @TextListField({
    description:
      'Groups of the token: it reads what its end user, these groups and everyone may read. Those of a key of a person count while the person is a member. null: the groups in which the end user is a member.',
    example: ['sales'],
    nullable: true,
    maxSize: MAX_TOKEN_GROUPS,
    parse: groupIds,
  })
  groups: string[] | null = null;

  @TextField({
    description: 'Limits the token to documents in this folder and its subfolders. null: all documents.',
    example: '/manuals',
    nullable: true,
    maxLength: 1_024,
    parse: (value, loc) => normaliseFolderPath(value as string, loc),
  })
  folder_name: string | null = null;

  @ParsedObjectField({
    description: 'Limits the token to documents that match this metadata filter. null: all documents.',
    example: { audience: 'public' },
    nullable: true,
    parse: filterJson,
  })
  filters: Readonly<Record<string, unknown>> | null = null;

  @TextListField({
    description:
      'Models that the token may choose besides the configured one, as `llm_config.model` names them. The key must be allowed to use them.',
    example: ['openai/gpt-5-mini'],
    nullable: true,
    maxSize: MAX_TOKEN_MODELS,
    parse: eachOf(modelName),
  })
  models: string[] | null = null;

  @IntegerField({
    description:
      'Tokens of the largest answer, at most as many as the key gets. null: as many as the key gets.',
    example: 500,
    nullable: true,
    positive: true,
  })
  max_answer_tokens: number | null = null;

  @IntegerField({
    description:
      'Questions a minute that the token may ask, besides the limit of requests. null: as many as requests.',
    example: 10,
    nullable: true,
    positive: true,
  })
  questions_per_minute: number | null = null;

  @IntegerField({
    description: 'Seconds until the token expires, at most an hour.',
    example: 600,
    positive: true,
    max: HOUR,
  })
  expires_in = 600;
}

export class BrowserTokenDto {
  @ApiProperty({ description: 'Sent like a key: `Authorization: Bearer <token>`.', example: '<TOKEN>' })
  token: string;

  @ApiProperty({
    description: 'What the token may be used for.',
    type: 'array',
    items: { type: 'string', enum: [...TOKEN_USE_NAMES] },
    example: ['query'],
  })
  scopes: TokenUse[];

  @ApiProperty({ type: 'string', nullable: true, description: 'End user of the token.', example: 'ann' })
  end_user_id: string | null;

  @ApiProperty({
    format: 'date-time',
    description: 'Expiry time; not later than that of the key.',
    example: '2026-01-31T12:10:00.000Z',
  })
  expires_at: string;
}
