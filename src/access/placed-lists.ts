import { Forbidden } from '../errors/index.js';
import { type AccessLists, effectiveLists, NOBODY } from './access-lists.js';
import { may, mayRead, type Owned } from './may.js';
import type { Caller } from './principal.js';

/**
 * Returns the own lists of a document or folder that a caller puts into a folder. Usually it has the lists that it comes
 * with, or none and inherits those of the folder. Nobody adds to what others share by naming their folder: what a caller
 * puts into a folder that the caller may not even read stays private.
 *
 * @param lists null: it comes without lists
 * @throws Forbidden if the folder's lists let the caller read, but not write.
 */
export function placedLists(caller: Caller, folder: Owned, lists: AccessLists | null): AccessLists | null {
  const { access = null, folder_access = null } = folder;
  if (effectiveLists({ access, folder_access }) === null || may(caller, 'write', folder)) return lists;
  if (mayRead(caller, folder))
    throw new Forbidden(
      'The folder is shared for reading only: choose another folder, or ask its owner to be made a writer',
    );
  return lists ?? NOBODY;
}
