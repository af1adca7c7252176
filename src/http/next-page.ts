import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Names the next page of a listing that is a bare array in the header `Link` (RFC 8288). The reference consists of the
 * query alone, because a proxy may serve the path under a prefix.
 *
 * @param skip items before the next page
 */
export function linkNextPage({ url }: Pick<FastifyRequest, 'url'>, reply: FastifyReply, skip: number): void {
  const query = new URLSearchParams(url.split('?', 2)[1] ?? '');
  query.set('skip', String(skip));
  void reply.header('link', `<?${query.toString()}>; rel="next"`);
}
