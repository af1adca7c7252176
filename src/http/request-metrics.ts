import type { FastifyReply, FastifyRequest } from 'fastify';
import { routeOf } from './route-rules.js';
import { httpRequests } from '../telemetry/metrics.js';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** For a client that left before its answer was complete, as nginx has it. */
const CLIENT_LEFT = 499;

/** Counts the request when it is over: under the route as it was declared, never under the path that was sent. */
export function measureWhenOver(request: FastifyRequest, reply: FastifyReply): void {
  reply.raw.once('close', () => {
    const { statusCode, writableFinished } = reply.raw;
    httpRequests.observe(
      {
        method: METHODS.has(request.method) ? request.method : 'other',
        route: routeOf(request),
        status: writableFinished ? statusCode : CLIENT_LEFT,
      },
      reply.elapsedTime / 1_000,
    );
  });
}
