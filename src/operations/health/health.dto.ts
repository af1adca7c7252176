import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

export class PingDto {
  @ApiProperty({ type: 'string', description: 'Always ok.', example: 'ok' })
  status: 'ok';

  @ApiProperty({ description: 'Message.', example: 'Lectern is running' })
  message: string;
}

export class ProbeDto {
  @ApiProperty({ type: 'string', description: 'Always ok.', example: 'ok' })
  status: 'ok';
}

export const STATUSES = ['healthy', 'degraded', 'unhealthy'] as const;

export type Health = (typeof STATUSES)[number];

export interface Finding {
  readonly status: Health;
  readonly message: string;
}

export class ServiceHealthDto {
  @ApiProperty({ description: 'Component.', example: 'database' })
  name: string;

  @ApiProperty({
    type: 'string',
    description: 'degraded: the service works with restrictions.',
    enum: STATUSES,
    example: 'healthy',
  })
  status: Health;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Result of the check.',
    example: 'PostgreSQL 18.6',
  })
  message: string | null;

  @ApiProperty({ type: 'number', description: 'Duration of the check in milliseconds.', example: 1.4 })
  response_time_ms: number;
}

export class ReleaseDto {
  @ApiProperty({ type: 'string', description: 'Version.', example: '0.1.0' })
  version: string;

  @ApiProperty({
    type: 'string',
    description: 'Commit that was built; empty if the build did not know it.',
    example: '1a2b3c4d',
  })
  commit: string;

  @ApiProperty({
    type: 'string',
    description: 'Last migration that this version has.',
    example: 'Quotas1700000046100',
  })
  schema: string;
}

export class HealthDto {
  @ApiProperty({
    type: 'string',
    description: 'The worst status of all components.',
    enum: ['healthy', 'degraded', 'unhealthy'],
    example: 'healthy',
  })
  status: Health;

  @ApiProperty({ description: 'Components.', type: [ServiceHealthDto] })
  services: ServiceHealthDto[];

  @ApiProperty({
    format: 'date-time',
    description: 'Time of the check.',
    example: '2026-01-31T12:00:00.000Z',
  })
  timestamp: string;

  @ApiPropertyOptional({ type: ReleaseDto, description: 'What is running. Absent without a key.' })
  release?: ReleaseDto;
}
