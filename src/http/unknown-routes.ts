import type { FastifyInstance } from 'fastify';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { MethodNotAllowed, NotFound } from '../errors/index.js';
import { ROUTER_OPTIONS } from './fastify-adapter.js';
import { withFolderInOneSegment } from './folder-urls.js';

/** Preflights of CORS: they go to every path, known or not. */
const ANY_PATH = /^\/?\*$/;

/**
 * What leads nowhere is refused before its body is read: a path that nobody knows with 404, a method that the path does
 * not know with 405 and `Allow`. Fastify asks its router for one method at a time and does not
 * show it, so a second router has the same routes; which part of a URL is a folder depends on the method. Call it before any route is registered.
 */
export function refuseUnknownRoutes(fastify: FastifyInstance): void {
  const router = findMyWay(ROUTER_OPTIONS);
  const methods = new Set<HTTPMethod>();
  fastify.addHook('onRoute', ({ url, method }) => {
    if (ANY_PATH.test(url)) return;
    for (const one of [method].flat() as HTTPMethod[]) {
      if (router.hasRoute(one, url)) continue;
      methods.add(one);
      router.on(one, url, () => undefined);
    }
  });
  fastify.addHook('onRequest', ({ is404, originalUrl }, _reply, done) => {
    done(is404 ? refusalOf(originalUrl) : undefined);
  });

  function refusalOf(url: string): Error {
    const allowed = [...methods].filter(
      (method) => router.find(method, withFolderInOneSegment({ method, url })) !== null,
    );
    return allowed.length > 0 ? new MethodNotAllowed(allowed.sort()) : new NotFound('Not Found');
  }
}
