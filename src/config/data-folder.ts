import { resolve, sep } from 'node:path';
import { StartRefused } from '../errors/index.js';
import type { Settings } from './settings.js';

/**
 * Runs start-up work on DATA_DIR.
 * @throws StartRefused if the disk is full or the folder cannot be used. The message names DATA_DIR.
 */
export async function inDataFolder<T>(
  { DATA_DIR }: Pick<Settings, 'DATA_DIR'>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const folder = resolve(DATA_DIR);
    if (isDiskFull(error)) {
      throw new StartRefused(
        `The disk of DATA_DIR ${folder} is full: free space there, or set DATA_DIR (--data of lectern serve) to another folder`,
        { cause: error },
      );
    }
    const { path, message } = error as NodeJS.ErrnoException;
    const reason = /^E[A-Z]+: ([^,]+), /.exec(message)?.[1];
    if (reason === undefined || path === undefined || !isWithin(folder, path)) throw error;
    throw new StartRefused(
      `DATA_DIR ${folder} is not usable (${path}: ${reason}): ${folderRemedy(folder, error)}`,
      { cause: error },
    );
  }
}

/** What makes a folder usable that belongs to another user or is on a read-only disk. */
export function folderRemedy(folder: string, error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  const mend =
    code === 'EROFS'
      ? 'mount its file system writable'
      : `give it to this user (as root: chown -R ${process.getuid?.() ?? 'USER'} ${folder})`;
  return `${mend}, or set DATA_DIR (--data of lectern serve) to another folder`;
}

/** Tells whether an error of the file system or of PostgreSQL means that the disk is full (53100 is `disk_full`). */
function isDiskFull(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return ['ENOSPC', 'EDQUOT', '53100'].includes(code ?? '') || message.includes('No space left on device');
}

function isWithin(folder: string, path: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${folder}${sep}`);
}
