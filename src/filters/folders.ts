import sql, { join, type Sql } from 'sql-template-tag';
import { Invalid, type Location } from '../errors/index.js';
import { textDefect } from '../json/text-defect.js';
import { FALSE, TRUE } from './sql/expressions.js';

export const ROOT_FOLDER = '/';

/** The stores of the OpenAI protocol lie in it, a folder each. A search without a folder leaves it out. */
export const VECTOR_STORES_FOLDER = '/vector_stores';

/** What fits the index over folder paths. */
export const MAX_PATH_BYTES = 1_024;

/**
 * The normal form of a folder path: trimmed, one leading slash, no trailing slash, `//` collapsed. `/` is the root.
 * @throws Invalid at `loc` for `..`, a blank segment, a blank path, text that PostgreSQL cannot hold, and a path of
 * more than 1,024 bytes.
 */
export function normaliseFolderPath(path: string, loc: Location): string {
  const trimmed = path.trim();
  if (trimmed === '') throw Invalid.at(loc, 'a folder path expects at least one segment, got a blank one');
  const defect = textDefect(trimmed);
  if (defect !== undefined) {
    throw Invalid.at(loc, `a folder path expects well-formed text, got one with ${defect}`);
  }
  const segments = trimmed.split('/').filter((segment) => segment !== '');
  if (segments.includes('..')) throw Invalid.at(loc, 'a folder path expects no "..", got one');
  if (segments.some((segment) => segment.trim() === '')) {
    throw Invalid.at(loc, 'a folder path expects no blank segment, got one');
  }
  const normal = ROOT_FOLDER + segments.join('/');
  const bytes = Buffer.byteLength(normal);
  if (bytes > MAX_PATH_BYTES)
    throw Invalid.at(loc, `a folder path expects at most ${MAX_PATH_BYTES} bytes, got ${bytes}`);
  return normal;
}

/** The path of the folder that a folder lies in; the root's for one at the top. */
export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || ROOT_FOLDER;
}

/** Whether a folder lies below another one, at any depth. */
export function isBelow(path: string, ancestor: string): boolean {
  return path.startsWith(ancestor === ROOT_FOLDER ? ancestor : `${ancestor}/`) && path !== ancestor;
}

/**
 * Whether a path, in the "C" collation, lies below a folder, at any depth.
 * @param column the path that is looked at
 * @param path of a folder other than the root
 */
export function belowPredicate(column: Sql, path: string): Sql {
  // '0' is the character after '/': the paths below a folder are one range of the index.
  return sql`${column} > ${`${path}/`} and ${column} < ${`${path}0`}`;
}

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
  const below = belowPredicate(sql`d.folder_path`, path);
  const within = depth < 0 ? below : sql`${below} and ${level()} <= ${levelOf(path) + depth}::bigint`;
  return sql`d.folder_path = ${path} or (${within})`;
}

function inRoot(depth: number): Sql {
  if (depth < 0) return TRUE;
  return depth === 0
    ? sql`d.folder_path is null`
    : sql`d.folder_path is null or ${level()} <= ${depth}::bigint`;
}

/** The depth of a path, which is its number of slashes. */
function level(): Sql {
  return sql`length(d.folder_path) - length(replace(d.folder_path, '/', ''))`;
}

function levelOf(path: string): number {
  return path.split('/').length - 1;
}
