import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyMigrated } from '../../../test/support/migrated-folder.js';
import { StartRefused } from '../../errors/index.js';
import { Database } from '../data-source.js';
import { migrations } from '../migrations/index.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { unpackTemplate } from './template.js';

describe('the embedded database', () => {
  let root: string;
  let folder: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lectern-embedded-'));
    folder = join(root, 'postgres');
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('starts with the whole schema in a folder that the template of the build has filled', async () => {
    expect(unpackTemplate('dist/database/template.zip', folder)).toBe(true);
    const embedded = await startEmbeddedPostgres(folder);
    const database = new Database({ socketDir: embedded.socketDir }, [], undefined, () => embedded.stop());
    await database.initialize();
    const [row] = await database.query<{ applied: number }[]>(
      'select count(*)::integer as applied from migrations',
    );
    await database.destroy();
    expect(row?.applied).toBe(migrations.length);
  });

  it('has no template where the build made none', () => {
    expect(unpackTemplate(join(root, 'absent.zip'), folder)).toBe(false);
    expect(existsSync(folder)).toBe(false);
  });

  it.each(['absent', 'empty'])('creates a database in a folder that is %s', async (state) => {
    if (state === 'empty') await mkdir(folder);
    await (await startEmbeddedPostgres(folder)).stop();
    expect(existsSync(join(folder, 'PG_VERSION'))).toBe(true);
    expect(existsSync(`${folder}.unfinished`)).toBe(false);
  });

  it('replaces what an interrupted start has left', async () => {
    await mkdir(`${folder}.unfinished`);
    await writeFile(join(`${folder}.unfinished`, 'PG_VERSION'), '18');
    await (await startEmbeddedPostgres(folder)).stop();
    expect(existsSync(join(folder, 'global', 'pg_control'))).toBe(true);
  });

  it('leaves an incomplete copy of a database as it is', async () => {
    await copyMigrated(folder);
    await rm(join(folder, 'PG_VERSION'));
    const control = await readFile(join(folder, 'global', 'pg_control'));
    await expect(startEmbeddedPostgres(folder)).rejects.toThrow(
      /postgres has files but is not a complete database/,
    );
    expect(await readFile(join(folder, 'global', 'pg_control'))).toEqual(control);
  });

  it.each([
    ['damaged', (file: string) => writeFile(file, Buffer.alloc(8_192, 7))],
    ['cut', (file: string) => writeFile(file, '')],
    ['missing', (file: string) => rm(file)],
  ])('refuses a database whose pg_control is %s in one sentence', async (_, harm) => {
    await copyMigrated(folder);
    await harm(join(folder, 'global', 'pg_control'));
    const start = startEmbeddedPostgres(folder);
    await expect(start).rejects.toBeInstanceOf(StartRefused);
    await expect(start).rejects.toThrow(/^The embedded database in .* cannot be opened .*Restore a backup/);
  });
});
