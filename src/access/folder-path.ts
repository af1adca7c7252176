import { Invalid, type Location } from '../errors/index.js';
import { composed } from '../json/spelling.js';
import { textDefect } from '../json/storable.js';

export const ROOT_FOLDER = '/';

/** Maximum size of a folder path in UTF-8 bytes, limited by the index over folder paths. */
export const MAX_PATH_BYTES = 1_024;

/**
 * Normalises a folder path: composes its characters (Unicode NFC), trims it, adds a leading slash, and removes trailing and double slashes. `/` is the root.
 * @throws Invalid at `loc` for `..`, a blank segment, a blank path, text that PostgreSQL cannot store, and a path of
 * more than 1,024 bytes.
 */
export function normaliseFolderPath(path: string, loc: Location): string {
  const trimmed = composed(path.trim());
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

/** Tests whether a folder is a descendant of another folder. */
export function isBelow(path: string, ancestor: string): boolean {
  return path.startsWith(ancestor === ROOT_FOLDER ? ancestor : `${ancestor}/`) && path !== ancestor;
}
