import type { FastifyReply, FastifyRequest } from 'fastify';

/** Logs one line for the request when it is over, answered or given up by its client; no query string, headers or body. */
export function logWhenOver(request: FastifyRequest, reply: FastifyReply): void {
  const response = reply.raw;
  response.once('close', () => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: response.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(response.writableFinished ? {} : { aborted: true }),
        ...(request.scope === null ? {} : { app_id: request.scope.appId, key_id: request.scope.keyId }),
      },
      'request',
    );
  });
}
