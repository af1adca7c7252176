import type { FastifyInstance } from 'fastify';

/** Headers of JSON responses. They prevent a browser from rendering, executing or caching a response. */
const OF_JSON = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/**
 * Adds the headers that protect browsers. Skips headers that a response has set itself, as responses with pages and
 * files do.
 */
export function installSecurityHeaders(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    void reply.header('x-content-type-options', 'nosniff');
    if (String(reply.getHeader('content-type')).startsWith('application/json')) {
      for (const [name, value] of Object.entries(OF_JSON)) {
        if (!reply.hasHeader(name)) void reply.header(name, value);
      }
    }
    done(null, payload);
  });
}
