import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackTemplate } from '../../src/database/embedded/template.js';

/** Made by `npm run build`. */
const TEMPLATE = 'dist/database/template.zip';

/** Writes an embedded database with the schema and no rows into a folder that does not exist. */
export async function copyMigrated(folder: string): Promise<void> {
  // Synchronous: the thousand small files cost several times more processor time one by one in the background.
  cpSync(await migratedFolder(), folder, { recursive: true });
}

/** Returns a folder with the files of the template, unpacked once for all runs. */
async function migratedFolder(): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(TEMPLATE)).digest('hex').slice(0, 16);
  const folder = join(tmpdir(), `lectern-test-template-${hash}`);
  if (existsSync(folder)) return folder;
  const making = await mkdtemp(`${folder}-`);
  unpackTemplate(TEMPLATE, making);
  // If another spec has created the folder first, rename fails, because it does not replace a folder that has files.
  await rename(making, folder).catch(() => rm(making, { recursive: true, force: true }));
  return folder;
}
