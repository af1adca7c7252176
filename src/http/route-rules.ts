import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuthGuard } from '../auth/auth.guard.js';
import { UnsupportedMediaType } from '../errors/index.js';
import type { RouteRules } from './route.decorator.js';

/** Routes that come from plugins instead of controllers, all of them public: documentation and CORS preflights. */
const PLUGIN_ROUTES = /^\/(docs(\/.*)?|openapi\.json|\*)$|^\*$/;

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

/** A file where JSON is expected, or the other way round, is 415; no body at all is the validation's affair. */
export function requireContentType(fastify: FastifyInstance): void {
  fastify.addHook('preValidation', async (request) => {
    const rules = rulesOf(request);
    if (rules === undefined || request.headers['content-type'] === undefined) return;
    const isMultipart = /^multipart\/form-data\b/i.test(request.headers['content-type']);
    if (isMultipart !== rules.multipart && (isMultipart || request.body !== undefined)) {
      throw new UnsupportedMediaType(
        `The body has to be ${rules.multipart ? 'multipart/form-data' : 'application/json'}`,
      );
    }
    await Promise.resolve();
  });
}
