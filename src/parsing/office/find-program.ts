import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The first executable program: a path is used directly, a name is searched on the PATH. */
export async function findProgram(names: readonly string[]): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const name of names) {
    const places = name.includes('/') ? [name] : folders.map((folder) => join(folder, name));
    for (const place of places) if (await isExecutable(place)) return place;
  }
  return undefined;
}

/** The LibreOffice program of SOFFICE_PATH, or the one on the PATH. */
export async function findOffice(named: string | undefined): Promise<string | undefined> {
  return findProgram(named === undefined ? ['soffice', 'libreoffice'] : [named]);
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
