import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, IntegerField, NumberField, TextField } from '../../http/input/fields.js';
import { KEPT_HOURS, type LogEntry, type LogSelection } from './operation-log.js';

const STATUSES = ['success', 'error'] as const;

/** Query string of `GET /logs`. */
export class LogsQuery {
  @IntegerField({
    inText: true,
    min: 1,
    max: 500,
    description: 'Most operations to return; 100 unless given.',
  })
  limit = 100;

  @NumberField({
    inText: true,
    min: 0.1,
    max: KEPT_HOURS,
    description: 'How many hours back; 4 unless given.',
  })
  hours = 4;

  @TextField({ description: 'Operations of this type only, such as query.', maxLength: 200 })
  op_type?: string;

  @ChoiceField({ values: STATUSES, description: 'Operations that ended so only.' })
  status?: (typeof STATUSES)[number];
}

export function logSelectionOf({ limit, hours, op_type, status }: LogsQuery): LogSelection {
  return { limit, hours, operationType: op_type ?? null, status: status ?? null };
}

export class LogMetadataDto {
  @ApiProperty({ type: 'integer', description: 'HTTP status; 499: the client left before.', example: 200 })
  status_code: number;

  @ApiProperty({ description: 'As in `X-Request-Id`, and in the log of the service.', example: 'r1' })
  request_id: string;
}

export class LogDto {
  @ApiProperty({
    format: 'date-time',
    description: 'When the request came.',
    example: '2026-01-31T12:00:00.000Z',
  })
  timestamp: string;

  @ApiProperty({ description: 'Id of the key that made it.', example: 'admin-key' })
  user_id: string;

  @ApiProperty({ description: 'What was done.', example: 'query' })
  operation_type: string;

  @ApiProperty({ type: 'string', enum: [...STATUSES], description: 'How it ended.', example: 'success' })
  status: string;

  @ApiProperty({ type: 'integer', description: 'Tokens that language models used for it.', example: 826 })
  tokens_used: number;

  @ApiProperty({ type: 'number', description: 'How long it took, in milliseconds.', example: 12.5 })
  duration_ms: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'The tenant.', example: 'default' })
  app_id: string | null;

  @ApiProperty({ type: LogMetadataDto, nullable: true, description: 'More about it; never what was asked.' })
  metadata: LogMetadataDto | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The kind of failure. What was wrong in detail was in the answer.',
    example: null,
  })
  error: string | null;
}

export function toLogDto(entry: LogEntry): LogDto {
  return {
    timestamp: entry.loggedAt.toISOString(),
    user_id: entry.keyId,
    operation_type: entry.operationType,
    status: entry.status,
    tokens_used: entry.tokensUsed,
    duration_ms: entry.durationMs,
    app_id: entry.appId,
    metadata: { status_code: entry.statusCode, request_id: entry.requestId },
    error: entry.status === 'success' ? null : `HTTP ${entry.statusCode}`,
  };
}
