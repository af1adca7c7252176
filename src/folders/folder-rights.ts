import { type AccessChange, type AccessLists, changedLists, effectiveLists } from '../access/access-lists.js';
import { type Action, may, refusal } from '../access/may.js';
import { ownerOf, type Principal } from '../access/principal.js';
import type { Scope } from '../auth/scope.js';
import type { FolderReference, OwnedFolder } from '../corpus/folder.repository.js';
import { Forbidden, NotFound } from '../errors/index.js';
import { isMadeAsStore } from '../filters/store-folders.js';

/**
 * Returns the lists of a folder after a change. The person who made the folder is among the admins, because what others
 * put into it inherits these lists.
 */
export function listsOfFolder({ owner, access }: OwnedFolder, change: AccessChange): AccessLists {
  const lists = changedLists(access, change);
  const maker = (owner === null ? [] : [owner]) as Principal[]; // keys own talk only
  return { ...lists, admins: [...new Set([...lists.admins, ...maker])] };
}

/**
 * Tells whether a key may change a folder, apart from its documents. A folder of the tenant without lists is everybody's
 * to arrange. A vector store is not: it has a name and metadata of its own.
 */
export function mayChange(scope: Scope, action: Action, folder: OwnedFolder): boolean {
  const isEverybodys = folder.owner === null && effectiveLists(folder) === null && !isMadeAsStore(folder);
  return isEverybodys || may(scope, action, folder);
}

/**
 * Tells whether a key may rename or delete a folder with its subfolders, apart from their documents. The owner of a folder
 * may although others made subfolders in it.
 *
 * @param all the folder and its subfolders
 */
export function mayChangeTree(scope: Scope, folder: OwnedFolder, all: readonly OwnedFolder[]): boolean {
  if (!mayChange(scope, 'manage', folder)) return false;
  const isOwn = folder.owner !== null && folder.owner === ownerOf(scope);
  return isOwn || all.every((one) => mayChange(scope, 'manage', one));
}

/** @throws Forbidden */
export function requireMayChange(scope: Scope, action: Action, folder: OwnedFolder): void {
  if (!mayChange(scope, action, folder)) throw new Forbidden(refusal('folder', folder));
}

export function mayNotChange(): Forbidden {
  return new Forbidden('The folder has parts that this key may not change');
}

/** @throws NotFound for a folder that does not exist, or that the key may not see. */
export function known<T extends FolderReference>(folder: T | null, sentence = 'Folder not found'): T {
  if (folder === null) throw new NotFound(sentence);
  return folder;
}
