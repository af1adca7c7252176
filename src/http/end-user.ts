import type { FastifyInstance } from 'fastify';
import { actingEndUser } from '../access/principal.js';
import { isJsonObject } from '../json/exact-json.js';
import { rulesOf } from './routes.js';

/**
 * Rejects a request whose query string or JSON body names an end user other than the end user of its key. The code that
 * reads forms and nested fields checks these itself. This hook does not protect data: even without it, the request
 * would get no data of the other end user. The hook only gives the client a clear error.
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
