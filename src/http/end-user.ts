import type { FastifyInstance } from 'fastify';
import { actingScope, type NamedPrincipals } from '../access/acting-for.js';
import { isJsonObject } from '../json/exact-json.js';
import { rulesOf } from './routes.js';

/**
 * Reads for whom a request acts from its query string and its JSON body, see {@link actingScope}. The code that reads forms
 * and nested members calls the same function.
 */
export function readPrincipals(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    const { scope } = request;
    if (scope === null) {
      done();
      return;
    }
    const rules = rulesOf(request);
    const { body } = request;
    const assigns = rules?.assignsEndUser === true && scope.permissions.has('admin');
    const namesNobody = assigns || (isJsonObject(body) && rules?.isData(body) === true);
    let acting = scope;
    for (const place of namesNobody ? (['query'] as const) : (['query', 'body'] as const)) {
      const given: unknown = request[place];
      if (!isJsonObject(given)) continue;
      const groups =
        place === 'query' && typeof given['groups'] === 'string' ? [given['groups']] : given['groups'];
      const named: NamedPrincipals = {
        end_user_id: given['end_user_id'],
        groups,
        folder_name: given['folder_name'],
      };
      acting = actingScope(acting, named, [place]);
      if (!('end_user_id' in named)) Reflect.deleteProperty(given, 'end_user_id');
    }
    request.scope = acting;
    done();
  });
}
