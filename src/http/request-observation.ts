import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { httpRequests } from '../telemetry/metrics.js';
import { closeSpan, openSpan, type OpenSpan, SpanKind, within } from '../telemetry/spans.js';
import type { Scope } from '../auth/scope.js';
import { isProbe, routeOf } from './routes.js';
import { tokensOf } from './request-signal.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** The caller's X-Request-Id when it is up to 128 visible characters of ASCII, a new one otherwise. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && VISIBLE_ASCII.test(given) ? given : randomUUID();
}

/**
 * Gives every answer the id of its request, and logs and counts the request when it is over. The first of all hooks, so
 * that answers of plugins (CORS preflights, for one) carry the id and are logged as well.
 */
export function recordRequest(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  void reply.header('x-request-id', request.id);
  reply.raw.once('close', () => {
    log(request, reply);
    count(request, reply);
  });
  done();
}

/**
 * One line for a request that is over, answered or given up by its client; no path, query string, headers or body: names
 * of files and folders stand in paths. A probe that finds all well, every few seconds, is for debugging.
 */
function log(request: FastifyRequest, { raw, elapsedTime }: FastifyReply): void {
  const { method, scope } = request;
  const route = routeOf(request);
  const level = isProbe(route) && raw.statusCode < 400 && raw.writableFinished ? 'debug' : 'info';
  request.log[level](
    {
      method,
      route,
      status: raw.statusCode,
      ms: Math.round(elapsedTime * 10) / 10,
      ...(raw.writableFinished ? {} : { aborted: true }),
      ...(scope === null ? {} : { app_id: scope.appId, key_id: scope.keyId }),
    },
    'request',
  );
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** For a client that left before its answer was complete, as nginx has it. */
const CLIENT_LEFT = 499;

/** Under the route as it was declared, never under the path that was sent. */
function count(request: FastifyRequest, { raw, elapsedTime }: FastifyReply): void {
  const method = METHODS.has(request.method) ? request.method : 'other';
  const status = raw.writableFinished ? raw.statusCode : CLIENT_LEFT;
  httpRequests.observe({ method, route: routeOf(request), status }, elapsedTime / 1_000);
}

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

/** A request with a good key that is over: answered, refused, or given up by its client. */
export interface ObservedRequest {
  readonly scope: Scope;
  readonly method: string;
  /** As it was declared, with `:id` where a path has an id: nothing that the caller wrote. */
  readonly route: string;
  readonly requestId: string;
  readonly at: Date;
  readonly statusCode: number;
  /** The client left before the answer was complete. */
  readonly aborted: boolean;
  readonly durationMs: number;
  /** That models have used for it. */
  readonly tokens: number;
}

/** Port: who wants to know of every request that is over. It must not wait, and must not fail. */
export abstract class RequestObserver {
  abstract over(request: ObservedRequest): void;
}

export function installRequestObserver(fastify: FastifyInstance, observer: RequestObserver): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { scope } = request;
    const route = request.routeOptions.url;
    if (scope !== null && route !== undefined) {
      const at = new Date(Date.now() - reply.elapsedTime);
      reply.raw.once('close', () => {
        observer.over({
          scope,
          method: request.method,
          route,
          requestId: request.id,
          at,
          statusCode: reply.raw.statusCode,
          aborted: !reply.raw.writableFinished,
          durationMs: reply.elapsedTime,
          tokens: tokensOf(request),
        });
      });
    }
    done();
  });
}
