import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface SourceFile {
  /** Path on this machine. */
  readonly path: string;
  /** Identifies the file in the service: `name of the source/relative path`, with slashes on every system. */
  readonly sourcePath: string;
}

/** The name of a source: `name` if given, otherwise the name of its folder or file. */
export async function sourceName(path: string, name?: string): Promise<string> {
  return name ?? basename(await realpath(path));
}

/**
 * All files below a folder, ordered by path, or a single file. Skips hidden files and folders, and symbolic links
 * inside the folder: their targets may be outside or form a cycle.
 *
 * @param name of the source; default: the folder's name
 * @throws file system error if the path does not exist or is not readable
 */
export async function sourceFiles(path: string, name?: string): Promise<SourceFile[]> {
  const root = await realpath(path);
  const source = await sourceName(root, name);
  if ((await stat(root)).isFile()) return [{ path: root, sourcePath: source }];
  const files: SourceFile[] = [];
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    const file = join(entry.parentPath, entry.name);
    const below = relative(root, file).split(sep);
    if (!entry.isFile() || below.some((part) => part.startsWith('.'))) continue;
    files.push({ path: file, sourcePath: [source, ...below].join('/') });
  }
  return files.sort((a, b) => (a.sourcePath < b.sourcePath ? -1 : 1));
}

/** Hexadecimal SHA-256 of a file, read as a stream. */
export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
