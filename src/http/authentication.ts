import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Authenticator } from '../auth/authenticator.js';
import type { Scope } from '../auth/scope.js';
import { Forbidden } from '../errors/index.js';
import { rulesOf } from './route-rules.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the key of the request is known good; never on open routes. */
    scope: Scope | null;
  }
}

/**
 * Checks the key of every request against the permission of its route, before the body is read: who has no key cannot
 * make the service parse 25 MB, and learns nothing about what a body should look like.
 */
export function installAuthentication(fastify: FastifyInstance, authenticator: Authenticator): void {
  fastify.decorateRequest('scope', null);
  fastify.addHook('onRequest', async (request) => {
    const rules = rulesOf(request);
    if (rules === undefined || rules.access === 'open') return;
    const scope = await authenticator.authenticate(request.headers.authorization);
    if (!scope.permissions.has(rules.access)) {
      throw new Forbidden(`The API key lacks the scope "${rules.access}"`);
    }
    request.scope = scope;
  });
}

/** The scope of a request to a route that is not open. */
export function scopeOfRequest(request: FastifyRequest): Scope {
  if (request.scope === null) throw new Error(`${request.url} is open and has no scope`);
  return request.scope;
}
