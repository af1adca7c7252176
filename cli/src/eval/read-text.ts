import { readFile } from 'node:fs/promises';

/** @throws Error naming the file; of a folder the system itself does not say which. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error;
    throw new Error(`${path} is a folder, not a file`, { cause: error });
  }
}
