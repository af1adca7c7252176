import sql, { join, type Sql } from 'sql-template-tag';
import { ROOT_FOLDER } from './folder-path.js';
import { FALSE, TRUE } from './sql-logic.js';

/**
 * Whether the row `d` of `documents` lies in one of the folders.
 * @param paths normalised paths; none of them matches nothing. The root holds the documents without a folder.
 * @param depth 0: those folders only; -1: all their descendants, too; n: up to n levels deeper.
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
  // '0' is the character after '/': in the "C" collation the paths below a folder are one range of the index.
  const below = sql`d.folder_path > ${`${path}/`} and d.folder_path < ${`${path}0`}`;
  const within = depth < 0 ? below : sql`${below} and ${level()} <= ${levelOf(path) + depth}::integer`;
  return sql`d.folder_path = ${path} or (${within})`;
}

function inRoot(depth: number): Sql {
  if (depth < 0) return TRUE;
  return depth === 0
    ? sql`d.folder_path is null`
    : sql`d.folder_path is null or ${level()} <= ${depth}::integer`;
}

/** How deep a path lies: its number of slashes. */
function level(): Sql {
  return sql`length(d.folder_path) - length(replace(d.folder_path, '/', ''))`;
}

function levelOf(path: string): number {
  return path.split('/').length - 1;
}
