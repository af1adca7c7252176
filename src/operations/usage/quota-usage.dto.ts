import { ApiProperty } from '@nestjs/swagger';
import { QUOTA_KINDS } from '../../config/quotas.js';
import type { QuotaUse } from '../../quotas/quotas.service.js';

export class QuotaUsageDto {
  @ApiProperty({
    type: 'string',
    enum: ['tenant', 'person'],
    description: 'Whose quota it is: the whole tenant, or the end user of the key.',
    example: 'person',
  })
  level: 'tenant' | 'person';

  @ApiProperty({
    type: 'string',
    enum: [...QUOTA_KINDS],
    description: 'What is counted.',
    example: 'documents',
  })
  name: string;

  @ApiProperty({ type: 'integer', description: 'What is used now, or on this day.', example: 42 })
  used: number;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'The quota; null: not limited.',
    example: 1_000,
  })
  limit: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'What is left; null: not limited.',
    example: 958,
  })
  left: number | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'When the count of the day begins anew; null: deletion gives back, or nothing was used yet.',
    example: null,
  })
  resets_at: string | null;
}

export function toQuotaUsageDto({ level, kind, used, most, endsAt }: QuotaUse): QuotaUsageDto {
  return {
    level,
    name: kind,
    used,
    limit: most,
    left: most === null ? null : Math.max(0, most - used),
    resets_at: endsAt?.toISOString() ?? null,
  };
}
