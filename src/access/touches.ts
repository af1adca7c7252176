import type { Scope, Touched } from '../auth/scope.js';
import { effectiveLists, everybodyOn } from './access-lists.js';
import type { Owned } from './may.js';
import { EVERYONE } from './principal.js';
import { talkOwner } from './talk.js';

const PERSON = 'user:';

/**
 * Notes for the audit log that a request of an administrator reads or changes a private thing of a person, which it
 * reaches only because the administrator reads everything of the tenant. Services call it where they load a thing by its
 * id. It notes nothing for a caller who acts for a person, and nothing for what everyone may read.
 */
export function touches(
  { permissions, reach, touched }: Scope,
  kind: Touched['kind'],
  id: string,
  thing: Owned,
): void {
  if (touched === undefined || reach !== 'all' || !permissions.has('admin')) return;
  const { owner } = thing;
  if (owner?.startsWith(PERSON) !== true) return;
  const lists = effectiveLists({ access: thing.access ?? null, folder_access: thing.folder_access ?? null });
  if (lists !== null && everybodyOn(lists).includes(EVERYONE)) return;
  if (touched.some((known) => known.kind === kind && known.id === id)) return;
  touched.push({ kind, id, endUserId: owner.slice(PERSON.length) });
}

/** Like {@link touches}, for talk that a request reaches by naming its person. */
export function touchesTalk(scope: Scope, id: string, named: string | null): void {
  touches(scope, 'talk', id, { owner: talkOwner(scope, named) });
}
