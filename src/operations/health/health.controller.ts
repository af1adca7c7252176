import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Authenticator } from '../../auth/authenticator.js';
import { credentialsOf } from '../../auth/credentials.js';
import { isFromThisMachine } from '../../auth/auth.guard.js';
import { isOperator, type Scope } from '../../auth/scope.js';
import { RELEASE } from '../../database/release.js';
import { Forbidden, TooManyRequests, Unauthorized, Unavailable } from '../../errors/index.js';
import { Route } from '../../http/route.decorator.js';
import { HealthDto, PingDto, ProbeDto } from './health.dto.js';
import { HealthService } from './health.service.js';

/**
 * Errors for a key that is unknown, used outside its networks, sent after too many wrong keys, or of a tenant whose
 * restore is not finished.
 */
const REFUSALS = [Unauthorized, Forbidden, TooManyRequests, Unavailable];

const UNHEALTHY: HealthDto = {
  status: 'unhealthy',
  services: [
    {
      name: 'database',
      status: 'unhealthy',
      message: 'The database does not answer',
      response_time_ms: 2500.3,
    },
  ],
  timestamp: '2026-01-31T12:00:00.000Z',
};

/** What everybody may know: the versions and addresses of components help an attacker. */
function upOrDown({ status, timestamp }: HealthDto): HealthDto {
  return { status: status === 'unhealthy' ? status : 'healthy', services: [], timestamp };
}

@ApiTags('operations')
@Controller()
export class HealthController {
  constructor(
    private readonly service: HealthService,
    private readonly authenticator: Authenticator,
  ) {}

  @Get('ping')
  @Route({ operationId: 'ping', permission: 'open', summary: 'Ping' })
  @ApiOkResponse({ type: PingDto })
  ping(): PingDto {
    return { status: 'ok', message: 'Lectern is running' };
  }

  @Get('health')
  // Must come before @Route, to replace the response for 503 that @Route adds.
  @ApiResponse({
    status: 503,
    type: HealthDto,
    description: 'The same report, with at least one unhealthy component.',
    example: UNHEALTHY,
  })
  @Route({
    operationId: 'getHealth',
    permission: 'open',
    summary: 'Get the health of all components',
    description:
      'Without a key, and not from this machine, it only tells `healthy` or `unhealthy`, with no components. With an admin ' +
      'key of the default tenant the report also has `languages`: whether the embedding model can read the newest ' +
      'documents.',
  })
  @ApiOkResponse({ type: HealthDto })
  async health(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<HealthDto> {
    let scope: Scope | null | undefined;
    const report = await this.service.report(async () => {
      scope = await this.scopeOf(request);
      return scope !== null && isOperator(scope);
    });
    if (report.status === 'unhealthy') void reply.status(503);
    // Without a database only ADMIN_KEY is known.
    scope ??= await this.scopeOf(request).catch(() => null);
    if (scope === null && !isFromThisMachine(request)) return upOrDown(report);
    return Object.assign(report, { release: RELEASE });
  }

  /** Returns null without a valid key. A rejected key is not an error, because the route is public. */
  private async scopeOf(request: FastifyRequest): Promise<Scope | null> {
    try {
      return await this.authenticator.authenticate(credentialsOf(request));
    } catch (error) {
      if (REFUSALS.some((refusal) => error instanceof refusal)) return null;
      throw error;
    }
  }

  @Get('health/live')
  @Route({ operationId: 'getLiveness', permission: 'open', summary: 'Liveness probe' })
  @ApiOkResponse({ type: ProbeDto })
  live(): ProbeDto {
    return { status: 'ok' };
  }

  @Get('health/ready')
  @Route({ operationId: 'getReadiness', permission: 'open', summary: 'Readiness probe: checks the database' })
  @ApiOkResponse({ type: ProbeDto })
  async ready(): Promise<ProbeDto> {
    await this.service.database();
    return { status: 'ok' };
  }
}
