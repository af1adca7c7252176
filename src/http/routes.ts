import type { IncomingMessage } from 'node:http';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuthGuard } from '../auth/auth.guard.js';
import type { Scope } from '../auth/scope.js';
import { MethodNotAllowed, NotFound } from '../errors/index.js';
import { isProtocolPath, lacksProtocolBase } from './protocol-path.js';
import type { RouteRules } from './route.decorator.js';

/**
 * Options of the router. The maximum length of parameters is high because URLs contain %-encoded ids, file names and
 * folder paths.
 */
export const ROUTER_OPTIONS = { maxParamLength: 8_192, ignoreTrailingSlash: true };

const FOLDERS = '/folders/';

/** For each method, the URL segments that may follow a folder path. Other segments belong to the path. */
const BEHIND: Readonly<Record<string, RegExp>> = {
  GET: /\/summary$/,
  PUT: /\/summary$/,
  POST: /\/(move|documents\/[^/]+)$/,
  DELETE: /\/documents\/[^/]+$/,
};

/**
 * Rewrites a URL so that a folder path is a single segment, because a router parameter matches only one segment.
 * Clients may send the slashes of a folder path plain or %-encoded. This function encodes plain slashes, so that
 * `/folders/a/b/move` reaches the same route as `/folders/a%2Fb/move`. A leading slash of the folder path is optional.
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

/** Public routes of plugins, which have no controller: documentation, playground files, CORS preflights. */
const PLUGIN_ROUTES = /^\/(docs(\/.*)?|openapi\.json|assets\/\*|\*)$|^\*$/;

/**
 * Makes the start fail if a route declares no permission. Must be called before any route is registered.
 *
 * @throws Error with a message that names the route.
 */
export function requireRules(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', ({ url, method, config }) => {
    if ((config as Partial<RouteRules> | undefined)?.access !== undefined || PLUGIN_ROUTES.test(url)) return;
    throw new Error(`${String(method)} ${url} declares no permission: give its method a @Route decorator`);
  });
}

/** Returns the rules of a request's route. Returns undefined for an unknown route and for a route of a plugin. */
export function rulesOf(request: FastifyRequest): RouteRules | undefined {
  const config = request.routeOptions.config as Partial<RouteRules>;
  return config.access === undefined ? undefined : (config as RouteRules);
}

/** Returns the declared route of a request, with `:id` as a placeholder. Never returns the path that was sent. */
export function routeOf({ is404, routeOptions }: FastifyRequest): string {
  return (is404 ? undefined : routeOptions.url) ?? 'unknown';
}

/**
 * Runs the guard before the body is read. A caller without a key can therefore neither make the service parse a body of
 * 25 MB nor learn the schema of the body. Inside Nest, the guard finds that it has decided.
 *
 * @param count counts a request that its caller may not make
 */
export function refuseBeforeBody(
  fastify: FastifyInstance,
  guard: AuthGuard,
  count: (scope: Scope, calls: number, reply: FastifyReply) => Promise<void>,
): void {
  fastify.decorateRequest('scope', null);
  fastify.decorateRequest('isAdmitted', false);
  fastify.addHook('onRequest', async (request, reply) => {
    const rules = rulesOf(request);
    if (rules === undefined) return;
    try {
      await guard.admit(request, rules.access, rules.tokenUses);
    } catch (error) {
      if (request.scope !== null) await count(request.scope, 1, reply);
      throw error;
    }
  });
}

/** Matches the route of CORS preflights, which covers every path, known or not. */
const ANY_PATH = /^\/?\*$/;

/**
 * Refuses unknown routes before the body is read: an unknown path with 404, and an unknown method of a known path with
 * 405 and `Allow`. Uses a second router with the same routes, because Fastify's own router is private. Looks the path
 * up once for each method, because the method decides which part of a URL is a folder path. For an unknown path of the
 * OpenAI protocol, the message lists the supported paths, or says that the base URL lacks `/v1`. Must be called before
 * any route is registered.
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

/** Returns a URL without its query string, truncated. */
function shown(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.length > 80 ? `${path.slice(0, 80)}…` : path;
}

const PROBES = new Set(['/ping', '/health', '/health/live', '/health/ready', '/metrics']);

/** Whether a declared route serves probes of supervisors or scrapes of Prometheus. */
export function isProbe(route: string | undefined): boolean {
  return route !== undefined && PROBES.has(route);
}

/** Makes a worker process serve only probes and metrics. Must be called before any route is registered. */
export function answerProbesOnly(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ routeOptions: { url } }, _reply, done) => {
    done(isProbe(url) ? undefined : new NotFound('This process is a worker (WORKER=only) and has no API'));
  });
}
