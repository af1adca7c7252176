import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '../../src/index.js';
import { StartRefused } from '../../src/index.js';

/**
 * For commands over what a service has stored. Started in another folder than the service they would make an empty
 * database there and find, or change, nothing.
 * @throws StartRefused when DATA_DIR has no embedded database and DATABASE_URL names none.
 */
export async function requireDatabase({
  DATABASE_URL,
  DATA_DIR,
}: Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>): Promise<void> {
  const folder = resolve(DATA_DIR);
  if (DATABASE_URL !== undefined || !(await isMissing(join(folder, 'postgres')))) return;
  throw new StartRefused(
    `There is no database in ${folder}: set DATA_DIR to the data folder of the service, or DATABASE_URL to its PostgreSQL`,
  );
}

async function isMissing(path: string): Promise<boolean> {
  try {
    await stat(path);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR';
  }
}
