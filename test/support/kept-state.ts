import { readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readSettings } from '../../src/config/read-settings.js';
import { connectDatabase } from '../../src/database/open-database.js';

const FOLDER = join(__dirname, '../fixtures/upgrades');

/** Contents of the documents of every kept state, by file name. */
export const CONTENTS: Readonly<Record<string, string>> = {
  'boiler.txt':
    'The boiler in the cellar was serviced in March 2025. Error E07 means that the pump is blocked.',
  'attic.txt': 'Anna keeps the key to the attic in the blue drawer.',
  'garden.md':
    '# Garden report\n\n## Roses\n\nThe roses were pruned on 2 February and flower in June.\n\n## Water\n\n' +
    '| Month | Litres |\n| --- | --- |\n| May | 310 |\n| June | 540 |\n',
};

/** Names of the kept states: the released versions, and dates of unreleased ones. `scripts/keep-state.sh` writes them. */
export const KEPT_STATES = readdirSync(FOLDER).map((name) => name.replace(/\.sql$/, ''));

/** Path of the SQL of a kept state. */
export function keptState(name: string): string {
  return join(FOLDER, `${name}.sql`);
}

/** Writes a kept state into the empty database of these settings, and its files into DATA_DIR. */
export async function loadState(name: string, environment: Readonly<Record<string, string>>): Promise<void> {
  const settings = readSettings(environment);
  const database = await connectDatabase(settings);
  try {
    // A new embedded database has the tables of this version.
    await database.query('drop schema public cascade');
    await database.query('create schema public');
    await database.query(await readFile(keptState(name), 'utf8'));
    const files = await database.query<{ key: string; filename: string }[]>(
      `select f ->> 'key' as key, d.filename from documents d, jsonb_array_elements(d.storage_files) f`,
    );
    const [uploads] = await database.query<{ found: boolean }[]>(
      `select to_regclass('files') is not null as found`,
    );
    if (uploads?.found === true) {
      files.push(...(await database.query<typeof files>('select object_key as key, filename from files')));
    }
    for (const { key, filename } of files) {
      const path = join(settings.DATA_DIR, 'files', key);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, CONTENTS[filename] ?? '');
    }
  } finally {
    await database.destroy();
  }
}
