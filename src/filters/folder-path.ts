import { textDefect } from '../json/text-defect.js';
import { Invalid, type Location } from '../errors/index.js';

export const ROOT_FOLDER = '/';

/** What fits into the index over folder paths. */
const MOST_BYTES = 1_024;

/**
 * The one spelling of a folder path: trimmed, one leading slash, no trailing slash, `//` collapsed. `/` is the root.
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
  if (bytes > MOST_BYTES)
    throw Invalid.at(loc, `a folder path expects at most ${MOST_BYTES} bytes, got ${bytes}`);
  return normal;
}
