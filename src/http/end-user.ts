import type { FastifyInstance } from 'fastify';
import { actingFor, MAX_GROUPS } from '../access/acting-for.js';
import { actingEndUser } from '../access/principal.js';
import { isJsonObject } from '../json/exact-json.js';
import { rulesOf } from './routes.js';

/**
 * Rejects a request whose query string or JSON body names an end user other than the end user of its key. The code that
 * reads forms and nested fields checks these itself. This hook does not protect data: even without it, the request
 * would get no data of the other end user. The hook only gives the client a clear error.
 *
 * If an application names `groups`, the request acts for the end user that it names and for these groups. Then
 * `end_user_id` is not a filter, but says who asks.
 */
export function readPrincipals(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    const { scope } = request;
    if (scope === null) {
      done();
      return;
    }
    const assigns = rulesOf(request)?.assignsEndUser === true && scope.permissions.has('admin');
    for (const place of assigns ? (['query'] as const) : (['query', 'body'] as const)) {
      const given: unknown = request[place];
      if (!isJsonObject(given)) continue;
      const groups = groupsIn(given['groups'], place);
      if (groups === null) continue;
      const named = given['end_user_id'];
      const person = typeof named === 'string' && named !== '' ? named : null;
      request.scope = actingFor(request.scope ?? scope, person, groups, [place, 'groups']);
      if (scope.reach === 'all') Reflect.deleteProperty(given, 'end_user_id');
    }
    const acting = request.scope ?? scope;
    for (const place of assigns ? (['query'] as const) : (['query', 'body'] as const)) {
      const given: unknown = request[place];
      const named = isJsonObject(given) ? given['end_user_id'] : null;
      if (acting.endUserId !== null && typeof named === 'string') {
        actingEndUser(acting, named, [place, 'end_user_id']);
      }
    }
    done();
  });
}

/** Returns the groups that a request names. null: it names none, or a value that its route refuses. */
function groupsIn(given: unknown, place: 'query' | 'body'): string[] | null {
  const list = place === 'query' && typeof given === 'string' ? [given] : given;
  if (!Array.isArray(list) || list.length > MAX_GROUPS) return null;
  return list.every((group): group is string => typeof group === 'string' && group !== '') ? list : null;
}
