import type { IncomingMessage } from 'node:http';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuthGuard } from '../auth/auth.guard.js';
import { MethodNotAllowed, NotFound } from '../errors/index.js';
import { isProtocolPath, lacksProtocolBase } from './protocol-path.js';
import type { RouteRules } from './route.decorator.js';

/** URLs contain %-encoded ids, file names and folder paths. */
export const ROUTER_OPTIONS = { maxParamLength: 8_192, ignoreTrailingSlash: true };

const FOLDERS = '/folders/';

/** The URL segments that may follow a folder path, by method. Other segments belong to the path. */
const BEHIND: Readonly<Record<string, RegExp>> = {
  GET: /\/summary$/,
  PUT: /\/summary$/,
  POST: /\/(move|documents\/[^/]+)$/,
  DELETE: /\/documents\/[^/]+$/,
};

/**
 * URLs contain folder paths with plain or %-encoded slashes, but a router parameter matches one segment. This %-encodes
 * the slashes within a path, so that `/folders/a/b/move` reaches the route of `/folders/a%2Fb/move`. A leading slash of
 * the path is optional.
 */
export function withFolderInOneSegment({
  method = '',
  url = '',
}: Pick<IncomingMessage, 'method' | 'url'>): string {
  if (!url.startsWith(FOLDERS)) return url;
  const end = url.includes('?') ? url.indexOf('?') : url.length;
  const rest = url.slice(FOLDERS.length, end).replace(/^\/+|\/+$/g, '');
  const [behind = ''] = BEHIND[method]?.exec(rest) ?? [];
  const folder = rest.slice(0, rest.length - behind.length).replace(/\/+$/, '');
  return FOLDERS + folder.replaceAll('/', '%2F') + behind + url.slice(end);
}

/** Public routes of plugins instead of controllers: documentation, playground files, CORS preflights. */
const PLUGIN_ROUTES = /^\/(docs(\/.*)?|openapi\.json|assets\/\*|\*)$|^\*$/;

/**
 * Refuses to start with a route that declares no permission. Call it before any route is registered.
 *
 * @throws Error with the route's name.
 */
export function requireRules(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ url, method, config }) => {
    if ((config as Partial<RouteRules> | undefined)?.access !== undefined || PLUGIN_ROUTES.test(url)) return;
    throw new Error(`${String(method)} ${url} declares no permission: give its method a @Route decorator`);
  });
}

/** The rules of a request's route; undefined for unknown routes and those of plugins. */
export function rulesOf(request: FastifyRequest): RouteRules | undefined {
  const config = request.routeOptions.config as Partial<RouteRules>;
  return config.access === undefined ? undefined : (config as RouteRules);
}

/** The declared route of a request, with `:id` as a placeholder; never the path that was sent. */
export function routeOf({ is404, routeOptions }: FastifyRequest): string {
  return (is404 ? undefined : routeOptions.url) ?? 'unknown';
}

/**
 * Runs the guard before the body is read, so that a caller without a key can neither make the service parse 25 MB nor
 * learn the body's schema. The guard runs again inside Nest and stays authoritative.
 */
export function refuseBeforeBody(fastify: FastifyInstance, guard: AuthGuard): void {
  fastify.decorateRequest('scope', null);
  fastify.addHook('onRequest', async (request) => {
    const rules = rulesOf(request);
    if (rules !== undefined) await guard.admit(request, rules.access, rules.takesTokens);
  });
}

/** CORS preflights match every path, known or not. */
const ANY_PATH = /^\/?\*$/;

/**
 * Refuses unknown routes before the body is read: an unknown path with 404, an unknown method of a known path with 405
 * and `Allow`. Fastify's router is private and looks up one method at a time, so a second router holds the same routes;
 * which part of a URL is a folder depends on the method. For unknown paths of the OpenAI protocol the message lists the
 * available ones, or the base URL that the client lacks. Call it before any route is registered.
 */
export function refuseUnknownRoutes(fastify: FastifyInstance): void {
  const router = findMyWay(ROUTER_OPTIONS);
  const methods = new Set<HTTPMethod>();
  const resources = new Set<string>();
  fastify.addHook('onRoute', ({ url, method }) => {
    if (ANY_PATH.test(url)) return;
    for (const one of [method].flat() as HTTPMethod[]) {
      if (router.hasRoute(one, url)) continue;
      methods.add(one);
      if (isProtocolPath(url)) resources.add(url.replace(/\/:.*/, ''));
      router.on(one, url, () => undefined);
    }
  });
  fastify.addHook('onRequest', ({ is404, originalUrl }, _reply, done) => {
    done(is404 ? refusalOf(originalUrl) : undefined);
  });

  function refusalOf(url: string): Error {
    if (lacksProtocolBase(url)) {
      const sentence = `The base URL of an OpenAI client must end in /v1: the path is /v1${shown(url)}`;
      return new NotFound(sentence, undefined, { code: 'unknown_url' });
    }
    const allowed = [...methods].filter(
      (method) => router.find(method, withFolderInOneSegment({ method, url })) !== null,
    );
    const sentence = isProtocolPath(url)
      ? `${shown(url)} of the OpenAI protocol is not supported; supported paths: ${[...resources].join(', ')}`
      : undefined;
    return allowed.length > 0
      ? new MethodNotAllowed(allowed.sort(), sentence)
      : new NotFound(sentence ?? 'Not Found');
  }
}

/** A path without its query, truncated. */
function shown(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.length > 80 ? `${path.slice(0, 80)}…` : path;
}

const PROBES = new Set(['/ping', '/health', '/health/live', '/health/ready', '/metrics']);

/** Whether a declared route is a probe of supervisors or Prometheus. */
export function isProbe(route: string | undefined): boolean {
  return route !== undefined && PROBES.has(route);
}

/** A worker process serves probes and metrics only. Call it before any route is registered. */
export function answerProbesOnly(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ routeOptions: { url } }, _reply, done) => {
    done(isProbe(url) ? undefined : new NotFound('This process is a worker (WORKER=only) and has no API'));
  });
}
