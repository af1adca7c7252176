import type { FolderCount } from '../api/lectern.js';

export interface FolderBelow {
  readonly path: string;
  readonly name: string;
  /** Number of documents at any depth. */
  readonly count: number;
}

/** Direct subfolders of a folder; none for "all documents", which already lists every folder. */
export function foldersIn(folder: string | null, folders: readonly FolderCount[]): FolderBelow[] {
  if (folder === null) return [];
  return folders
    .filter(({ full_path: path, name }) => path === `${folder}/${name}`)
    .map(({ full_path: path, name }) => ({ path, name, count: countIn(path, folders) }));
}

function countIn(folder: string, folders: readonly FolderCount[]): number {
  return folders
    .filter(({ full_path: path }) => path === folder || path.startsWith(`${folder}/`))
    .reduce((sum, { doc_count: count }) => sum + count, 0);
}
