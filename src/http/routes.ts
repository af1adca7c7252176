import type { IncomingMessage } from 'node:http';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuthGuard } from '../auth/auth.guard.js';
import { MethodNotAllowed, NotFound } from '../errors/index.js';
import { isProtocolPath, lacksProtocolBase } from './protocol-path.js';
import type { RouteRules } from './route.decorator.js';

/** Ids, file names and folder paths stand in URLs, %-encoded. */
export const ROUTER_OPTIONS = { maxParamLength: 8_192, ignoreTrailingSlash: true };

const FOLDERS = '/folders/';

/** What stands behind a folder in a URL, by the method. Everything else belongs to its path. */
const BEHIND: Readonly<Record<string, RegExp>> = {
  GET: /\/summary$/,
  PUT: /\/summary$/,
  POST: /\/(move|documents\/[^/]+)$/,
  DELETE: /\/documents\/[^/]+$/,
};

/**
 * Folder paths stand in URLs with their slashes as they are, or %-encoded, and a router knows one segment at a time.
 * Here the slashes within a path are %-encoded, so that `/folders/a/b/move` reaches the route of `/folders/a%2Fb/move`.
 * A leading slash of the path may be there or not.
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

/** Routes that come from plugins instead of controllers, all of them public: documentation, files of the playground, CORS preflights. */
const PLUGIN_ROUTES = /^\/(docs(\/.*)?|openapi\.json|assets\/\*|\*)$|^\*$/;

/**
 * Refuses to start with a route that does not say who may call it. Call it before any route is registered.
 * @throws Error that names the route.
 */
export function requireRules(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ url, method, config }) => {
    if ((config as Partial<RouteRules> | undefined)?.access !== undefined || PLUGIN_ROUTES.test(url)) return;
    throw new Error(`${String(method)} ${url} declares no permission: give its method a @Route decorator`);
  });
}

/** The rules of the route that a request goes to; undefined for unknown routes and those of plugins. */
export function rulesOf(request: FastifyRequest): RouteRules | undefined {
  const config = request.routeOptions.config as Partial<RouteRules>;
  return config.access === undefined ? undefined : (config as RouteRules);
}

/** The route of a request as it was declared, with `:id` where a path has an id; never the path that was sent. */
export function routeOf({ is404, routeOptions }: FastifyRequest): string {
  return (is404 ? undefined : routeOptions.url) ?? 'unknown';
}

/**
 * Asks the guard before the body is read, so that nobody without a key makes the service parse 25 MB or learns what a
 * body should look like. It decides nothing: the guard refuses the same requests when Nest asks it.
 */
export function refuseBeforeBody(fastify: FastifyInstance, guard: AuthGuard): void {
  fastify.decorateRequest('scope', null);
  fastify.addHook('onRequest', async (request) => {
    const rules = rulesOf(request);
    if (rules !== undefined) await guard.admit(request, rules.access);
  });
}

/** Preflights of CORS: they go to every path, known or not. */
const ANY_PATH = /^\/?\*$/;

/**
 * What leads nowhere is refused before its body is read: a path that nobody knows with 404, a method that the path does
 * not know with 405 and `Allow`. Fastify asks its router for one method at a time and does not
 * show it, so a second router has the same routes; which part of a URL is a folder depends on the method. What clients of
 * the OpenAI protocol look for in vain is answered with what there is of it, or with the base URL that they need. Call it
 * before any route is registered.
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
      ? `${shown(url)} of the OpenAI protocol is not offered here; what is: ${[...resources].join(', ')}`
      : undefined;
    return allowed.length > 0
      ? new MethodNotAllowed(allowed.sort(), sentence)
      : new NotFound(sentence ?? 'Not Found');
  }
}

/** A path without its query, cut where it is long. */
function shown(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.length > 80 ? `${path.slice(0, 80)}…` : path;
}

const PROBES = new Set(['/ping', '/health', '/health/live', '/health/ready', '/metrics']);

/** Whether a route, as it was declared, is one that supervisors and Prometheus ask for. */
export function isProbe(route: string | undefined): boolean {
  return route !== undefined && PROBES.has(route);
}

/**
 * A worker answers probes and gives its measures; every other route of the service is unknown to it. Call it before any
 * route is registered.
 */
export function answerProbesOnly(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ routeOptions: { url } }, _reply, done) => {
    done(isProbe(url) ? undefined : new NotFound('This process is a worker (WORKER=only): it has no API'));
  });
}
