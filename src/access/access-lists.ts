import type { Principal } from './principal.js';

/** Who may do what with a document, or with what lies below a folder. The owner needs no entry. */
export interface AccessLists {
  readonly readers: readonly Principal[];
  /** Writers may read too. */
  readonly writers: readonly Principal[];
  /** Admins may read and write too. */
  readonly admins: readonly Principal[];
}

/** Lists of a thing that only its owner may read. */
export const NOBODY: AccessLists = { readers: [], writers: [], admins: [] };

/** The columns of a thing with access lists. */
export interface Listed {
  /** The thing's own lists; null: those of the folder count. */
  readonly access: AccessLists | null;
  /** Lists of the nearest folder above that has lists; null: no such folder. */
  readonly folder_access: AccessLists | null;
}

/** Returns the lists that count; null: a thing of a person is private, and a thing of the tenant is for everyone. */
export function effectiveLists({ access, folder_access: inherited }: Listed): AccessLists | null {
  return access ?? inherited;
}
