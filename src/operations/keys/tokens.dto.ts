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

/** A token is a request header, and servers refuse longer ones. */
const MAX_FILTER_BYTES = 2_000;

const HOUR = 3_600;

/** Checks a filter and keeps its JSON: the token carries it. */
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
    description: 'What the token may do. null: what the key may do of it.',
    example: ['query'],
    values: TOKEN_PERMISSIONS,
    nullable: true,
  })
  scopes: Permission[] | null = null;

  @TextField({
    description: 'The end user for whom the token acts. null: that of the key.',
    example: 'ann',
    nullable: true,
    notEmpty: true,
    maxLength: 256,
  })
  end_user_id: string | null = null;

  @TextField({
    description: 'The token sees the documents of this folder and its subfolders only. null: all.',
    example: '/manuals',
    nullable: true,
    maxLength: 1_024,
    parse: (value, loc) => normaliseFolderPath(value as string, loc),
  })
  folder_name: string | null = null;

  @ParsedObjectField({
    description: 'The token sees the documents that match this metadata filter only. null: all.',
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
    description: 'What it may do.',
    type: 'array',
    items: { type: 'string', enum: [...TOKEN_PERMISSIONS] },
    example: ['query'],
  })
  scopes: Permission[];

  @ApiProperty({ type: 'string', nullable: true, description: 'Its end user.', example: 'ann' })
  end_user_id: string | null;

  @ApiProperty({
    format: 'date-time',
    description: 'When it expires; earlier if its key does.',
    example: '2026-01-31T12:10:00.000Z',
  })
  expires_at: string;
}
