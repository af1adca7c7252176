import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty } from 'class-validator';
import { TOKEN_PERMISSIONS } from '../../auth/browser-token.js';
import type { Permission } from '../../auth/scope.js';
import { Invalid, type Location } from '../../errors/index.js';
import { normaliseFolderPath } from '../../filters/folders.js';
import { parseFilter } from '../../filters/parse/parse-filter.js';
import { Examples } from '../../http/input/examples.js';
import { ChoiceListField, IntegerField, ParsedObjectField, TextField } from '../../http/input/fields.js';
import { Closed } from '../../http/input/input.pipe.js';
import { printJson } from '../../json/exact-json.js';

/**
 * Maximum size of a filter in a token. The size is limited because a token is sent in a header, and servers reject long
 * headers.
 */
const MAX_FILTER_BYTES = 2_000;

const HOUR = 3_600;

/** Validates a filter. Returns its JSON unchanged, because a token contains the filter as JSON. */
function filterJson(value: unknown, loc: Location): unknown {
  parseFilter(value, loc);
  if (Buffer.byteLength(printJson(value)) <= MAX_FILTER_BYTES) return value;
  throw Invalid.at(loc, `Value error, the filter of a token has at most ${MAX_FILTER_BYTES} bytes`);
}

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
    description: 'Permissions of the token. null: all permissions of the key that a token may have.',
    example: ['query'],
    values: TOKEN_PERMISSIONS,
    nullable: true,
    openapi: { minItems: 1 },
  })
  scopes: Permission[] | null = null;

  @TextField({
    description: 'The end user for whom the token acts. null: the end user of the key.',
    example: 'ann',
    nullable: true,
    notEmpty: true,
    maxLength: 256,
  })
  end_user_id: string | null = null;

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
    description: 'Permissions of the token.',
    type: 'array',
    items: { type: 'string', enum: [...TOKEN_PERMISSIONS] },
    example: ['query'],
  })
  scopes: Permission[];

  @ApiProperty({ type: 'string', nullable: true, description: 'End user of the token.', example: 'ann' })
  end_user_id: string | null;

  @ApiProperty({
    format: 'date-time',
    description: 'Expiry time; not later than that of the key.',
    example: '2026-01-31T12:10:00.000Z',
  })
  expires_at: string;
}
