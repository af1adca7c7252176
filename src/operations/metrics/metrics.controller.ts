import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Route } from '../../http/route.decorator.js';
import { METRICS_TYPE, MetricsService } from './metrics.service.js';

@ApiTags('operations')
@Controller()
export class MetricsController {
  constructor(private readonly service: MetricsService) {}

  @Get('metrics')
  @Route({
    permission: 'admin or loopback',
    summary: 'Measures of the service for Prometheus',
    description: 'What each says is in the answer, and in docs/reference/metrics.md.',
  })
  @Header('content-type', METRICS_TYPE)
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } } })
  metrics(): Promise<string> {
    return this.service.text();
  }
}
