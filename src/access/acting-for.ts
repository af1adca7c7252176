import type { Scope } from '../auth/scope.js';
import { Forbidden, type Location } from '../errors/index.js';

/** Maximum number of groups that a request names. */
export const MAX_GROUPS = 1_000;

/**
 * Returns the scope of a request whose application acts for a person: it reads and changes what the person and the groups
 * may, and nothing else.
 * @param person null: any member of the groups
 * @param loc location of the groups in the request
 * @throws Forbidden if the key belongs to a person who is not in one of the groups
 */
export function actingFor(
  scope: Scope,
  person: string | null,
  groups: readonly string[],
  loc: Location,
): Scope {
  if (scope.reach === 'granted') {
    const other = groups.find((group) => !scope.groups.includes(group));
    if (other === undefined) return scope;
    throw new Forbidden(`${loc.join('.')}: The API key belongs to somebody who is not in the group ${other}`);
  }
  const permissions = new Set([...scope.permissions].filter((permission) => permission !== 'admin'));
  return { ...scope, endUserId: person, groups, reach: 'granted', permissions };
}
