import { ApiProperty } from '@nestjs/swagger';

export class PingDto {
  @ApiProperty({ type: 'string', description: 'Always ok.', example: 'ok' })
  status: 'ok';

  @ApiProperty({ description: 'A word to people.', example: 'Lectern is running' })
  message: string;
}

export class ProbeDto {
  @ApiProperty({ type: 'string', description: 'Always ok.', example: 'ok' })
  status: 'ok';
}

export type Health = 'healthy' | 'degraded' | 'unhealthy';

/** What a look at a part has found. */
export interface Finding {
  readonly status: Health;
  readonly message: string;
}

export class ServiceHealthDto {
  @ApiProperty({ description: 'What was looked at.', example: 'database' })
  name: string;

  @ApiProperty({
    type: 'string',
    description: 'degraded: the service answers, but not everything works.',
    enum: ['healthy', 'degraded', 'unhealthy'],
    example: 'healthy',
  })
  status: Health;

  @ApiProperty({ type: 'string', nullable: true, description: 'What was found.', example: 'PostgreSQL 18.6' })
  message: string | null;

  @ApiProperty({ type: 'number', description: 'How long the look took, in milliseconds.', example: 1.4 })
  response_time_ms: number;
}

export class HealthDto {
  @ApiProperty({
    type: 'string',
    description: 'The worst of the parts.',
    enum: ['healthy', 'degraded', 'unhealthy'],
    example: 'healthy',
  })
  status: Health;

  @ApiProperty({ description: 'The parts.', type: [ServiceHealthDto] })
  services: ServiceHealthDto[];

  @ApiProperty({
    format: 'date-time',
    description: 'When it was looked at.',
    example: '2026-01-31T12:00:00.000Z',
  })
  timestamp: string;
}
