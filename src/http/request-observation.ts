import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { httpRequests, httpStreams, openStreams } from '../telemetry/metrics.js';
import { closeSpan, openSpan, type OpenSpan, SpanKind, within } from '../telemetry/spans.js';
import { tenantLabel, tenantRequests, tenantSeconds, tenantTokens } from '../telemetry/tenants.js';
import type { Scope } from '../auth/scope.js';
import { isProbe, routeOf } from './routes.js';
import { tokensOf } from './request-signal.js';

const VISIBLE_ASCII = /^[\x21-\x7e]{1,128}$/;

/** Returns the caller's X-Request-Id if it consists of 1 to 128 visible ASCII characters, and a new id otherwise. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && VISIBLE_ASCII.test(given) ? given : randomUUID();
}

/**
 * Sets the request id on every response, and logs and counts finished requests. Must be registered as the first hook,
 * so that it also covers responses of plugins, such as CORS preflights.
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
 * Logs one line for each request that is answered or aborted. The line contains no query string, header or body. It
 * also contains no path, because paths contain names of files and folders. Successful probes are logged at debug level.
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

/** The status that nginx logs if the client disconnects before the response is complete. */
const CLIENT_LEFT = 499;

/** Counts a request in the metrics. The label is the declared route, never the path that was sent. */
function count(request: FastifyRequest, { raw, elapsedTime }: FastifyReply): void {
  const method = METHODS.has(request.method) ? request.method : 'other';
  const status = raw.writableFinished ? raw.statusCode : CLIENT_LEFT;
  const isStream = streaming.has(request);
  const seconds = elapsedTime / 1_000;
  (isStream ? httpStreams : httpRequests).observe({ method, route: routeOf(request), status }, seconds);
  if (request.scope === null) return;
  const tenant = tenantLabel(request.scope.appId);
  tenantRequests.inc({ tenant, outcome: outcomeOf(status) });
  tenantTokens.inc({ tenant }, tokensOf(request));
  if (!isStream) tenantSeconds.inc({ tenant }, seconds);
}

function outcomeOf(status: number): string {
  if (status === CLIENT_LEFT) return 'aborted';
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'ok';
}

const streaming = new WeakSet<FastifyRequest>();

/** Counts a response as a stream, which may be open for hours, and not among the short calls. */
export function countAsStream(request: FastifyRequest, { raw }: FastifyReply): void {
  const route = routeOf(request);
  streaming.add(request);
  openStreams.inc({ route });
  raw.once('close', () => {
    openStreams.dec({ route });
  });
}

/**
 * Starts a span for every request, from its arrival to the end of the response. SQL statements and model calls of the
 * request are child spans. The attributes of the span are the method, the declared route, the request id and the tenant.
 * They contain no path, query string, header or body.
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
      closeSpan(span, reply.raw.statusCode, request.scope?.appId);
    });
    within(span, done);
  });
  // Enters the span again, because hooks that run after the body was read are in the async context of the connection.
  fastify.addHook('preHandler', (request, _reply, done) => {
    const span = open.get(request);
    if (span === undefined) done();
    else within(span, done);
  });
}

/** A finished request with a valid key: answered, rejected, or aborted by the client. */
export interface ObservedRequest {
  readonly scope: Scope;
  readonly method: string;
  /** The declared route, with `:id` as a placeholder. It contains nothing that the caller sent. */
  readonly route: string;
  readonly requestId: string;
  readonly at: Date;
  readonly statusCode: number;
  /** Whether the client disconnected before the response was complete. */
  readonly aborted: boolean;
  readonly durationMs: number;
  /** Tokens used by models for this request. */
  readonly tokens: number;
}

/**
 * Interface of an observer that is called after every finished request. An implementation must neither block nor throw.
 */
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
