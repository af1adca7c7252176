import { ApiProperty } from '@nestjs/swagger';
import { type Permission, PERMISSIONS } from '../../auth/scope.js';
import { Examples } from '../../http/input/examples.js';
import { FlagField, TextField } from '../../http/input/fields.js';

/** Who sends a request, and how this person or program is signed in. */
export class SessionDto {
  @ApiProperty({
    enum: ['nobody', 'key', 'browser', 'proxy', 'access token'],
    description: 'How the caller is signed in; `nobody` without a valid credential.',
    example: 'browser',
  })
  signed_in_by: 'nobody' | 'key' | 'browser' | 'proxy' | 'access token';

  @ApiProperty({ type: 'string', nullable: true, description: 'Name for people.', example: 'Ann Lee' })
  name: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'End user of the caller.', example: 'ann' })
  end_user_id: string | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'string' },
    description: 'Groups of the end user.',
    example: ['sales'],
  })
  groups: string[];

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...PERMISSIONS] },
    description: 'Permissions; `admin` includes the others.',
    example: ['read', 'query'],
  })
  scopes: Permission[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Id of the key that the caller acts with.',
    example: '6f1c4a52-0d0e-4d5c-9d6c-0a4b1f3f2f11',
  })
  key_id: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Id of this browser in `GET /devices`.',
    example: '0b9e6f0e-2f0c-4c8e-8f39-5f7d2f8f5a11',
  })
  device_id: string | null;

  @ApiProperty({
    description:
      'Whether the person can sign in again alone, at the identity provider or the proxy. Otherwise the last device needs a new invitation.',
    example: false,
  })
  returns_alone: boolean;

  @ApiProperty({
    description:
      'Whether the caller can sign another device in with a link. Who signs in at an identity provider or a proxy signs in there on each device.',
    example: true,
  })
  may_add_device: boolean;
}

@Examples({ 'A code from a link': { code: 'AAECAwQ' } })
export class OpenSessionRequest {
  @TextField({
    description: 'The code in the fragment of a sign-in link, or of a link to another device.',
    example: 'AAECAwQ',
    required: true,
    notEmpty: true,
    maxLength: 2_000,
  })
  code: string;

  @FlagField({ description: 'Whether the browser stays signed in when it is closed.', example: true })
  stay = false;
}

export class SignedOutDto {
  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Where the person also signs out at the identity provider or the proxy; null: nowhere.',
    example: null,
  })
  sign_out_url: string | null;
}

export class DeviceDto {
  @ApiProperty({ description: 'Id of the device.', example: '0b9e6f0e-2f0c-4c8e-8f39-5f7d2f8f5a11' })
  id: string;

  @ApiProperty({ description: 'Browser and system.', example: 'Firefox on Linux' })
  name: string;

  @ApiProperty({ description: 'Whether the request comes from this device.', example: true })
  is_this: boolean;

  @ApiProperty({
    format: 'date-time',
    description: 'When it signed in.',
    example: '2026-02-01T12:00:00.000Z',
  })
  signed_in_at: string;
}

export class DeviceLinkDto {
  @ApiProperty({
    description: 'Signs another device in, once. The code is in the fragment, which no server logs.',
    example: 'https://lectern.example/#/sign-in/AAECAwQ',
  })
  url: string;

  @ApiProperty({
    format: 'date-time',
    description: 'Expiry time of the link: five minutes after it was made.',
    example: '2026-02-01T12:05:00.000Z',
  })
  expires_at: string;
}

export class DevicePath {
  @TextField({
    required: true,
    maxLength: 100,
    description: 'Id of the device, as listed by GET /devices.',
    example: '0b9e6f0e-2f0c-4c8e-8f39-5f7d2f8f5a11',
  })
  device_id: string;
}
