import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unzip, type Unzipped } from 'fflate';

/**
 * Writes the files of a migrated, empty database into a folder. `scripts/database-template.mjs` packs them at build
 * time, because initdb and the migrations in WebAssembly take seconds of processor time.
 *
 * @param archive path of the ZIP file; an entry that ends with a slash is a folder
 * @returns false if there is no such file
 */
export async function unpackTemplate(archive: string, folder: string): Promise<boolean> {
  if (!existsSync(archive)) return false;
  const packed = await readFile(archive);
  const files = await new Promise<Unzipped>((resolve, reject) => {
    unzip(packed, (error, entries) => {
      if (error === null) resolve(entries);
      else reject(error);
    });
  });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, content] of Object.entries(files)) {
    if (name.endsWith('/')) await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    else await writeFile(join(folder, name), content, { mode: 0o600 });
  }
  return true;
}
