import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { hasBody } from './request-body.js';

/** How long a body that is refused is read on. */
const LINGER_MS = 1_000;

/**
 * An answer to a request whose body was not read is the last of its connection, or the server would read on for as long
 * as the client sends. For a moment it does, behind the answer: a client that is cut off while it writes fails without
 * having seen it (RFC 9112, section 9.6).
 */
export function registerLingering(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async ({ raw }, reply, payload) => {
    if (!hasBody(raw)) return payload;
    await setImmediate(); // a short body came with the head, and is taken for read only now
    if (raw.complete) return payload;
    void reply.header('connection', 'close');
    if (typeof payload !== 'string') return payload;
    void reply.header('content-length', Buffer.byteLength(payload));
    return Readable.from(followedByLingering(payload, raw));
  });
}

/** The length of the answer is known, so that its end can wait. */
async function* followedByLingering(answer: string, body: IncomingMessage): AsyncGenerator<string> {
  yield answer;
  const ended = finished(body, { signal: AbortSignal.timeout(LINGER_MS) });
  body.resume();
  // Whether the client ended, went away or is slow: it has had its time.
  await ended.catch(() => undefined);
}
