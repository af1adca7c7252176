import type { FastifyInstance } from 'fastify';
import { actingEndUser } from '../auth/scope.js';
import { isJsonObject } from '../json/exact-json.js';
import { rulesOf } from './routes.js';

/**
 * Refuses a request that names another end user than that of its key, on every route with a query string or a JSON body.
 * Forms and nested fields are checked where they are read. Without this hook the request would still get
 * nothing of the other end user; the refusal tells the client why.
 */
export function refuseForeignEndUser(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    const { scope } = request;
    if (scope === null || scope.endUserId === null) {
      done();
      return;
    }
    const assigns = rulesOf(request)?.assignsEndUser === true && scope.permissions.has('admin');
    for (const place of assigns ? (['query'] as const) : (['query', 'body'] as const)) {
      const given: unknown = request[place];
      const named = isJsonObject(given) ? given['end_user_id'] : null;
      if (typeof named === 'string') actingEndUser(scope, named, [place, 'end_user_id']);
    }
    done();
  });
}
