import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import type { FastifyInstance } from 'fastify';

/** How long a body that is refused is read on. */
const LINGER_MS = 1_000;

/**
 * Before an answer that closes the connection, reads for a moment what the client still sends of its body: one that is
 * cut off while it writes fails without having seen the answer (RFC 9112, section 9.6).
 */
export function registerLingering(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.getHeader('connection') !== 'close' || request.raw.complete) done();
    else void readOn(request.raw).then(done);
  });
}

async function readOn(body: IncomingMessage): Promise<void> {
  const ended = finished(body, { signal: AbortSignal.timeout(LINGER_MS) });
  body.resume();
  // Whether the client ended, went away or is slow: it has had its time.
  await ended.catch(() => undefined);
}
