import type { FastifyReply, FastifyRequest } from 'fastify';
import { routeOf } from './route-rules.js';

/** Logs one line for the request when it is over, answered or given up by its client; no path, query string, headers or body: names of files and folders stand in paths. */
export function logWhenOver(request: FastifyRequest, reply: FastifyReply): void {
  const response = reply.raw;
  response.once('close', () => {
    request.log.info(
      {
        method: request.method,
        route: routeOf(request),
        status: response.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(response.writableFinished ? {} : { aborted: true }),
        ...(request.scope === null ? {} : { app_id: request.scope.appId, key_id: request.scope.keyId }),
      },
      'request',
    );
  });
}
