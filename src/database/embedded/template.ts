import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';

/**
 * Writes the files of a migrated, empty database into a folder. `scripts/database-template.mjs` packs them at build
 * time, because initdb and the migrations in WebAssembly take seconds of processor time.
 *
 * @param archive path of the ZIP file; an entry that ends with a slash is a folder
 * @returns false if there is no such file
 */
export function unpackTemplate(archive: string, folder: string): boolean {
  if (!existsSync(archive)) return false;
  // Synchronous, because a start has nothing else to do, and a thousand small files cost less processor time so.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, content] of Object.entries(unzipSync(readFileSync(archive)))) {
    if (name.endsWith('/')) mkdirSync(join(folder, name), { recursive: true, mode: 0o700 });
    else writeFileSync(join(folder, name), content, { mode: 0o600 });
  }
  return true;
}
