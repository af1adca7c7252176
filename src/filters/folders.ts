import sql, { join, type Sql } from 'sql-template-tag';
import { Invalid, type Location } from '../errors/index.js';
import { textDefect } from '../json/text-defect.js';
import { FALSE, TRUE } from './sql/expressions.js';

const ROOT_FOLDER = '/';

/** What fits the index over folder paths. */
const MAX_BYTES = 1_024;

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
  if (bytes > MAX_BYTES)
    throw Invalid.at(loc, `a folder path expects at most ${MAX_BYTES} bytes, got ${bytes}`);
  return normal;
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
  // '0' is the character after '/': in the "C" collation the paths below a folder are one range of the index.
  const below = sql`d.folder_path > ${`${path}/`} and d.folder_path < ${`${path}0`}`;
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
