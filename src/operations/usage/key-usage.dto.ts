import { ApiProperty } from '@nestjs/swagger';
import { NumberField } from '../../http/input/fields.js';
import { KEPT_HOURS, type KeyUsage } from '../logs/operation-log.js';

export class KeyUsageQuery {
  @NumberField({
    inText: true,
    min: 0.1,
    max: KEPT_HOURS,
    description: 'Number of hours to look back. Default: a week.',
  })
  hours = KEPT_HOURS;
}

export class KeyUsageDto {
  @ApiProperty({ description: 'Id of the key, as listed by GET /keys.', example: 'admin-key' })
  key_id: string;

  @ApiProperty({ type: 'string', nullable: true, description: 'Name of the key.', example: 'Ann' })
  name: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'The end user of the key.', example: 'ann' })
  end_user_id: string | null;

  @ApiProperty({
    type: 'integer',
    description: 'Number of operations, without GET requests.',
    example: 42,
  })
  operations: number;

  @ApiProperty({ type: 'integer', description: 'Number of operations that ask a question.', example: 31 })
  questions: number;

  @ApiProperty({ type: 'number', description: 'Tokens that language models used.', example: 25_300 })
  tokens_used: number;

  @ApiProperty({
    format: 'date-time',
    description: 'Time of the last operation.',
    example: '2026-01-31T12:00:00.000Z',
  })
  last_used_at: string;
}

export function toKeyUsageDto(usage: KeyUsage): KeyUsageDto {
  return {
    key_id: usage.keyId,
    name: usage.name,
    end_user_id: usage.endUserId,
    operations: usage.operations,
    questions: usage.questions,
    tokens_used: usage.tokensUsed,
    last_used_at: usage.lastUsedAt.toISOString(),
  };
}
