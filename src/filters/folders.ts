import sql, { join, type Sql } from 'sql-template-tag';
import { isBelow, MAX_PATH_BYTES, normaliseFolderPath, ROOT_FOLDER } from '../access/folder-path.js';
import { Invalid, type Location } from '../errors/index.js';
import { FALSE, TRUE } from './sql/expressions.js';

export { isBelow, MAX_PATH_BYTES, normaliseFolderPath, ROOT_FOLDER };

/** Maximum number of segments of the path of a new folder. Statements about a folder visit its ancestors. */
export const MAX_FOLDER_DEPTH = 64;

/**
 * Returns the path of a folder that the request may create.
 * @throws Invalid at `loc` if the path has more than {@link MAX_FOLDER_DEPTH} segments.
 */
export function creatableFolder(path: string, loc: Location): string {
  const depth = depthOf(path);
  if (depth <= MAX_FOLDER_DEPTH) return path;
  throw Invalid.at(loc, `a new folder expects at most ${MAX_FOLDER_DEPTH} levels, got ${depth}`);
}

/** Returns the number of segments of a normalised path: 0 for the root. */
export function depthOf(path: string): number {
  return path === ROOT_FOLDER ? 0 : path.split('/').length - 1;
}

/** Returns the parent folder's path; the root for a top-level folder. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || ROOT_FOLDER;
}

/**
 * Builds a predicate that is true for descendants of a folder.
 * @param column a path in the "C" collation
 * @param path a folder other than the root
 */
export function belowPredicate(column: Sql, path: string): Sql {
  // '0' is the character after '/', so this selects all descendants as a single index range.
  return sql`${column} > ${`${path}/`} and ${column} < ${`${path}0`}`;
}

/** Condition that the row `f` of `folders` is the folder or its descendant. */
export function withinFolder(path: string): Sql {
  return sql`(f.path = ${path} or (${belowPredicate(sql`f.path`, path)}))`;
}

/** Returns the paths of a folder's ancestors and of the folder itself: `/a`, `/a/b`, `/a/b/c` for `/a/b/c`. */
export function lineage(path: string): string[] {
  if (path === ROOT_FOLDER) return [];
  const ends = [...path.matchAll(/\//g)].map(({ index }) => index).slice(1);
  return [...ends.map((end) => path.slice(0, end)), path];
}

/**
 * Builds a predicate that is true for rows `d` of `documents` in one of the folders.
 * @param paths normalised paths; an empty list matches nothing. Documents without a folder are in the root.
 * @param depth 0: these folders only; -1: also all descendants; n: also descendants up to n levels deep.
 */
export function folderPredicate(paths: readonly string[], depth: number): Sql {
  if (paths.length === 0) return FALSE;
  return join(
    [...new Set(paths)].map((path) => inFolder(path, depth)),
    ' or ',
    '(',
    ')',
  );
}

function inFolder(path: string, depth: number): Sql {
  if (path === ROOT_FOLDER) return inRoot(depth);
  if (depth === 0) return sql`d.folder_path = ${path}`;
  const below = belowPredicate(sql`d.folder_path`, path);
  const within = depth < 0 ? below : sql`${below} and ${level()} <= ${depthOf(path) + depth}::bigint`;
  return sql`d.folder_path = ${path} or (${within})`;
}

function inRoot(depth: number): Sql {
  if (depth < 0) return TRUE;
  return depth === 0
    ? sql`d.folder_path is null`
    : sql`d.folder_path is null or ${level()} <= ${depth}::bigint`;
}

/** SQL for the depth of a document's folder: the number of slashes in its path. */
function level(): Sql {
  return sql`length(d.folder_path) - length(replace(d.folder_path, '/', ''))`;
}
