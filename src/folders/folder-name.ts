import { validate as isUuid } from 'uuid';
import type { FolderName } from '../corpus/folder.repository.js';
import { Invalid, type Location } from '../errors/index.js';
import { normaliseFolderPath, ROOT_FOLDER } from '../filters/folders.js';
import { inTurn, text } from '../http/input/parse.js';

/** The normalised path of a folder; the root is none. */
export const ownPath = inTurn(text, (value, loc) => {
  const path = normaliseFolderPath(String(value), loc);
  if (path !== ROOT_FOLDER) return path;
  throw Invalid.at(loc, 'a folder path expects at least one segment, got the root');
});

/** What a client calls a folder: an id, or a path with or without its leading slash. */
export const folderName = inTurn(text, (value, loc) => nameOf(String(value), loc));

function nameOf(folder: string, loc: Location): FolderName {
  return { id: isUuid(folder) ? folder : null, path: normaliseFolderPath(folder, loc) };
}
