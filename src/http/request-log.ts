import type { FastifyInstance } from 'fastify';

/** Logs one line for each request, without query string, headers or bodies. */
export function installRequestLog(fastify: FastifyInstance): void {
  fastify.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        path: request.url.split('?', 1)[0],
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        ...(request.scope === null ? {} : { app_id: request.scope.appId, key_id: request.scope.keyId }),
      },
      'request',
    );
    await Promise.resolve();
  });
}
