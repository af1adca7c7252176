import { ApiProperty } from '@nestjs/swagger';
import { mayRead } from '../../access/may.js';
import { type Caller, userPrincipal } from '../../access/principal.js';
import type { AuditEntryEntity } from '../../auth/audit/audit-entry.entity.js';
import { Invalid } from '../../errors/index.js';
import { IntegerField, TextField } from '../../http/input/fields.js';
import type { Parse } from '../../http/input/input.pipe.js';

const entryId: Parse = (value, loc) => {
  const text = value as string;
  if (/^\d{1,18}$/.test(text)) return text;
  throw Invalid.at(loc, 'Value error, must be the id of an entry');
};

export class AuditQuery {
  @TextField({
    description:
      'The tenant whose keys acted. Default: the tenant of the calling key. Only admin keys of the default tenant may name another one.',
    notEmpty: true,
    maxLength: 200,
  })
  app_id?: string;

  @IntegerField({ inText: true, min: 1, max: 500, description: 'Maximum number of entries. Default: 100.' })
  limit = 100;

  @TextField({ description: '`next` of the previous page.', maxLength: 18, parse: entryId })
  before?: string;
}

export class AuditEntryDto {
  @ApiProperty({ description: 'Id; larger for later entries.', example: '42' })
  id: string;

  @ApiProperty({ format: 'date-time', description: 'Time.', example: '2026-01-31T12:00:00.000Z' })
  timestamp: string;

  @ApiProperty({ description: 'Tenant of the key.', example: 'default' })
  app_id: string;

  @ApiProperty({ description: 'Id of the key, `admin-key` or `command line`.', example: 'admin-key' })
  key_id: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The end user of the key, or the system user of a command.',
    example: null,
  })
  person: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Address of the client; null for a command.',
    example: '10.0.0.7',
  })
  address: string | null;

  @ApiProperty({ description: 'Action.', example: 'key.create' })
  action: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'Ids and names of the affected objects; never a secret. null for an administrator with an end user, if somebody else acted on documents, folders, stores or chats.',
    example: 'acme 6f1c4a52-0d0e-4d5c-9d6c-0a4b1f3f2f11',
  })
  subject: string | null;

  @ApiProperty({
    type: 'string',
    enum: ['done', 'refused', 'failed'],
    description: 'Outcome. `failed`: a part may have been done.',
    example: 'done',
  })
  outcome: string;

  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status.', example: 200 })
  status_code: number | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Request id.', example: 'r1' })
  request_id: string | null;
}

export class AuditListDto {
  @ApiProperty({ type: [AuditEntryDto], description: 'The entries, newest first.' })
  entries: AuditEntryDto[];

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: '`before` of the next page; null on the last page.',
    example: null,
  })
  next: string | null;
}

/** Events of administrators and operators. Those of all other events are about what may be private. */
const ADMINISTERED = /^(?:(?:key|sign_in|link|group|app|model|audit|doctor)\.|(?:export|restore)$)/;

/** Returns the subject of an entry if the caller may know it: what others do with their things is theirs. */
function subjectFor(caller: Caller, { action, keyId, person, subject }: AuditEntryEntity): string | null {
  if (ADMINISTERED.test(action)) return subject;
  return mayRead(caller, { owner: person === null ? `key:${keyId}` : userPrincipal(person) })
    ? subject
    : null;
}

/** @param rows rows of the page, and one further row if another page follows */
export function toAuditListDto(
  caller: Caller,
  rows: readonly AuditEntryEntity[],
  limit: number,
): AuditListDto {
  const entries = rows.slice(0, limit).map((row) => ({
    id: row.entryId,
    timestamp: row.loggedAt.toISOString(),
    app_id: row.appId,
    key_id: row.keyId,
    person: row.person,
    address: row.address,
    action: row.action,
    subject: subjectFor(caller, row),
    outcome: row.outcome,
    status_code: row.statusCode,
    request_id: row.requestId,
  }));
  return { entries, next: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}
