import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, IntegerField, NumberField, TextField } from '../../http/input/fields.js';
import { KEPT_HOURS, type LogEntry, type LogSelection } from './operation-log.js';

const STATUSES = ['success', 'error'] as const;

export class LogsQuery {
  @IntegerField({
    inText: true,
    min: 1,
    max: 500,
    description: 'Maximum number of operations. Default: 100.',
  })
  limit = 100;

  @NumberField({
    inText: true,
    min: 0.1,
    max: KEPT_HOURS,
    description: 'Age limit in hours. Default: 4.',
  })
  hours = 4;

  @TextField({ description: 'Operation type, such as query.', maxLength: 200 })
  op_type?: string;

  @ChoiceField({ values: STATUSES, description: 'Outcome.' })
  status?: (typeof STATUSES)[number];
}

export function logSelectionOf({ limit, hours, op_type, status }: LogsQuery): LogSelection {
  return { limit, hours, operationType: op_type ?? null, status: status ?? null };
}

export class LogMetadataDto {
  @ApiProperty({
    type: 'integer',
    description: 'HTTP status; 499: the client disconnected first.',
    example: 200,
  })
  status_code: number;

  @ApiProperty({ description: "Request id, as in `X-Request-Id` and the service's log.", example: 'r1' })
  request_id: string;
}

export class LogDto {
  @ApiProperty({
    format: 'date-time',
    description: 'Time when the request arrived.',
    example: '2026-01-31T12:00:00.000Z',
  })
  timestamp: string;

  @ApiProperty({ description: 'Id of the API key.', example: 'admin-key' })
  user_id: string;

  @ApiProperty({ description: 'Operation type.', example: 'query' })
  operation_type: string;

  @ApiProperty({ type: 'string', enum: [...STATUSES], description: 'Outcome.', example: 'success' })
  status: string;

  @ApiProperty({ type: 'integer', description: 'Tokens used by language models.', example: 826 })
  tokens_used: number;

  @ApiProperty({ type: 'number', description: 'Duration in milliseconds.', example: 12.5 })
  duration_ms: number;

  @ApiProperty({ type: 'string', nullable: true, description: 'Tenant.', example: 'default' })
  app_id: string | null;

  @ApiProperty({ type: LogMetadataDto, nullable: true, description: 'Details; never the question.' })
  metadata: LogMetadataDto | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Type of the error; the response contained the details.',
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
