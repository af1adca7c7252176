import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A file that is to become a document. */
export interface SourceFile {
  /** Where it lies. */
  readonly path: string;
  /** What it is known by in the service: the name of the source and the path below it, with slashes. */
  readonly sourcePath: string;
}

/**
 * The files of a folder and everything below it, in the order of their paths, or the one file. Names that begin with a
 * dot are passed over, and so are symbolic links inside the folder: what they lead to may lie outside or in a circle.
 * @param name what the source is called instead of the folder's own name
 * @throws Error of the file system when the path does not exist or cannot be read
 */
export async function sourceFiles(path: string, name?: string): Promise<SourceFile[]> {
  const root = await realpath(path);
  const source = name ?? basename(root);
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

/** SHA-256 of a file, hexadecimal; read as a stream. */
export async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
