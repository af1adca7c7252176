import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Settings } from '../../src/index.js';
import { StartRefused } from '../../src/index.js';

/**
 * Ensures that the database exists, because a command started in the wrong folder must not create an empty database.
 *
 * @throws StartRefused if DATA_DIR has no embedded database and DATABASE_URL is not set.
 */
export async function requireDatabase({
  DATABASE_URL,
  DATA_DIR,
}: Pick<Settings, 'DATABASE_URL' | 'DATA_DIR'>): Promise<void> {
  const folder = resolve(DATA_DIR);
  if (DATABASE_URL !== undefined || !(await isMissing(join(folder, 'postgres')))) return;
  throw new StartRefused(
    `No database in ${folder}: set DATA_DIR to the data folder of the service, or DATABASE_URL to its PostgreSQL`,
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
