import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** Returns a strong entity tag: the same content always has the same tag (RFC 9110, section 8.8.3). */
export function entityTagOf(content: string | Uint8Array): string {
  return `"${createHash('sha256').update(content).digest('hex').slice(0, 32)}"`;
}

/** Whether `If-None-Match` names the tag, which a proxy that compresses may have made weak. */
export function namesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => ['*', tag, `W/${tag}`].includes(one.trim()));
}

/**
 * Gives the JSON of every successful GET an `ETag`, and answers a request that has this content already with 304. The
 * content is made anew each time, so that the answer follows the present rights of the caller. Streams and files, which
 * have tags of their own, do not pass here.
 */
export function installEntityTags(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const isJson = String(reply.getHeader('content-type')).startsWith('application/json');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || !isJson || reply.statusCode !== 200 || typeof payload !== 'string') {
      done(null, payload);
      return;
    }
    const tag = entityTagOf(payload);
    void reply.header('etag', tag);
    const isKnown = namesTag(request.headers['if-none-match'], tag);
    if (isKnown) void reply.status(304).removeHeader('content-type').removeHeader('content-length');
    done(null, isKnown ? null : payload);
  });
}
