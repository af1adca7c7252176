import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { AuthGuard } from '../auth/auth.guard.js';
import { UnsupportedMediaType } from '../errors/index.js';
import type { Settings } from '../config/settings.js';
import { URL_ENCODED } from './form.js';
import { hasBody, MEGABYTE } from './request-body.js';
import type { RouteRules } from './route.decorator.js';

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

/** Every route takes MAX_QUERY_BODY_MB unless it declares that it carries documents. Call it before any is registered. */
export function limitBodies(fastify: FastifyInstance, settings: Settings): void {
  fastify.addHook('onRoute', (route) => {
    const { carriesDocument = false } = (route.config ?? {}) as Partial<RouteRules>;
    route.bodyLimit = (carriesDocument ? settings.MAX_BODY_MB : settings.MAX_QUERY_BODY_MB) * MEGABYTE;
  });
}

/** A parameter of a media type. */
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

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

/** A body is read as it is sent, and as UTF-8: what is compressed or in another character set would be misread. */
export function requirePlainEncoding(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', ({ raw, headers }, reply, _payload, done) => {
    const isEncoded = hasBody(raw) && !/^(identity)?$/i.test(headers['content-encoding'] ?? '');
    if (isEncoded) void reply.header('accept-encoding', 'identity');
    done(isEncoded ? new UnsupportedMediaType('The body must not have a Content-Encoding') : null);
  });
  fastify.addHook('preParsing', ({ raw, headers }, _reply, _payload, done) => {
    const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
    const isMisread = hasBody(raw) && !/^(utf-?8|us-ascii)$/i.test(charset);
    done(isMisread ? new UnsupportedMediaType('The body has to be in UTF-8') : null);
  });
}

/** A file where JSON is expected, or the other way round, is 415; no JSON at all is the validation's affair. */
export function requireContentType(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', (request, _reply, _payload, done) => {
    const rules = rulesOf(request);
    const given = request.headers['content-type'] ?? '';
    if (rules === undefined || isExpected(rules, given, hasBody(request.raw))) {
      done();
      return;
    }
    done(new UnsupportedMediaType(`The body has to be ${expectedType(rules)}`));
  });
}

const MULTIPART = /^multipart\/form-data\b/i;
const URL_ENCODED_TYPE = /^application\/x-www-form-urlencoded\b/i;

/** JSON that is none is for the validation to refuse. */
function isExpected({ multipart, form }: RouteRules, type: string, body: boolean): boolean {
  if (form) return !body || MULTIPART.test(type) || URL_ENCODED_TYPE.test(type);
  return MULTIPART.test(type) === multipart && !URL_ENCODED_TYPE.test(type);
}

function expectedType({ multipart, form }: RouteRules): string {
  if (form) return `${URL_ENCODED} or multipart/form-data`;
  return multipart ? 'multipart/form-data' : 'application/json';
}
