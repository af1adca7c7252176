import type { FastifyInstance, FastifyRequest } from 'fastify';
import { closeSpan, openSpan, SpanKind, within, type OpenSpan } from '../telemetry/spans.js';

/**
 * A span for every request, from its arrival to the end of its answer, in which its statements and calls to models are
 * children. It carries the route as it was declared and the id of the request; no path, query string, header or body.
 */
export function installRequestSpans(fastify: FastifyInstance): void {
  const open = new WeakMap<FastifyRequest, OpenSpan>();
  fastify.addHook('onRequest', (request, reply, done) => {
    const { method, id } = request;
    const route = request.is404 ? undefined : request.routeOptions.url;
    const span = openSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: SpanKind.SERVER,
        attributes: {
          'http.request.method': method,
          'lectern.request_id': id,
          ...(route !== undefined && { 'http.route': route }),
        },
      },
      request.headers,
    );
    open.set(request, span);
    reply.raw.once('close', () => {
      closeSpan(span, reply.raw.statusCode);
    });
    within(span, done);
  });
  // What comes after the reading of a body runs in the context of the connection.
  fastify.addHook('preHandler', (request, _reply, done) => {
    const span = open.get(request);
    if (span === undefined) done();
    else within(span, done);
  });
}
