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
  const counts = countsBelow(folders);
  return folders
    .filter(({ full_path: path, name }) => path === `${folder}/${name}`)
    .map(({ full_path: path, name }) => ({ path, name, count: counts.get(path) ?? 0 }));
}

/** The number of documents at any depth of each folder, by path. */
export function countsBelow(folders: readonly FolderCount[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { full_path: path, doc_count: count } of folders) {
    for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) {
      const above = path.slice(0, at);
      counts.set(above, (counts.get(above) ?? 0) + count);
    }
  }
  return counts;
}
