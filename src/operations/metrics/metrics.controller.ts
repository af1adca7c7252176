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
    operationId: 'getMetrics',
    permission: 'admin or loopback',
    summary: 'Get metrics for Prometheus',
    description:
      'The response and docs/reference/metrics.md describe each metric. An admin key must belong to the default tenant, without ' +
      'an end user.',
  })
  @Header('content-type', METRICS_TYPE)
  @ApiOkResponse({ content: { 'text/plain': { schema: { type: 'string' } } } })
  metrics(): Promise<string> {
    return this.service.text();
  }
}
