import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync } from 'node:fs';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Documents } from '../../support/documents.js';
import { copyMigrated } from '../../support/migrated-folder.js';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { onEmbedded } from '../../support/server-database.js';
import { Service } from '../../support/service.js';

/** Two small separate file systems; mounting them needs root. */
const isMounted = (size: string, folder: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status === 0;
const small = mkdtempSync(join(tmpdir(), 'lectern-small-'));
const fixed = mkdtempSync(join(tmpdir(), 'lectern-fixed-'));
const hasDisks = isMounted('16k', small) && isMounted('96m', fixed);
const onDisks = hasDisks ? onEmbedded : describe.skip;

const NOBODY = 65_534;
const asNobody = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
const isRoot = process.getuid?.() === 0 && spawnSync('setpriv', ['--version']).status === 0;
const asRoot = isRoot ? onEmbedded : describe.skip;

function lectern(dataDir: string, args: readonly string[], runner: readonly string[] = []): Promise<Ended> {
  const environment = { DATA_DIR: dataDir, PORT: '0', HOME: tmpdir() };
  return ServiceProcess.spawn(environment, 'dist/cli/lectern.js', args, runner).end();
}

afterAll(async () => {
  for (const folder of [small, fixed]) {
    if (hasDisks) spawnSync('umount', ['--lazy', folder]);
    await rm(folder, { recursive: true, force: true });
  }
});

const COMMANDS = [
  ['start'],
  ['keys', 'create', '--name', 'a', '--scopes', 'admin'],
  ['export'],
  ['doctor', '--deep'],
];

onDisks('a data folder on a read-only disk (needs the right to mount one)', () => {
  const data = join(fixed, 'data');
  beforeAll(async () => {
    await copyMigrated(join(data, 'postgres'));
    spawnSync('mount', ['-o', 'remount,ro', fixed]);
  }, 60_000);

  it.each(COMMANDS)('is named with the remedy by lectern %s', async (...args) => {
    const { code, output } = await lectern(data, args);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /^DATA_DIR \S+ is not usable \(\S+: read-only file system\): mount its file system writable, or set DATA_DIR .*$/,
      ),
    ]);
  });
});

onDisks('an export to a disk that is full (needs the right to mount one)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
    const words = Array.from({ length: 4_000 }, (_, index) => `lamp ${index * 7_919}`).join(' ');
    await new Documents(() => service.client).ingestText(words, {});
    await service.terminate();
  }, 120_000);
  afterAll(() => service.stop());

  it('is a line that names the file, and leaves none', async () => {
    const file = join(small, 'a.export');
    const { code, output } = await lectern(service.dataDir, ['export', '--output', file]);
    expect([code, output.split('\n').at(-1)]).toEqual([
      1,
      `${file} cannot be written (the disk is full): name another file with --output`,
    ]);
    expect(await readdir(small)).toEqual([]);
  });
});

asRoot('a data folder of another user (needs root)', () => {
  let folder: string;
  let data: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'lectern-owner-'));
    await chmod(folder, 0o755);
    data = join(folder, 'data');
    await mkdir(data, { mode: 0o700 });
    await copyMigrated(join(data, 'postgres'));
  }, 60_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const remedy = (): string => `give it to this user (as root: chown -R ${NOBODY} ${data})`;

  it.each(COMMANDS.slice(0, 3))('is named with the remedy by lectern %s', async (...args) => {
    const { code, output } = await lectern(data, args, asNobody);
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^DATA_DIR \S+ is not usable \(\S+: permission denied\): give it .*$/),
    ]);
    expect(output).toContain(remedy());
  });

  it('is found by lectern doctor, and works after the command that it names', async () => {
    const before = await lectern(data, ['doctor'], asNobody);
    expect(before.output).toContain(remedy());
    const paths = await readdir(data, { recursive: true });
    for (const path of ['', ...paths]) chownSync(join(data, path), NOBODY, NOBODY);
    const listed = await lectern(data, ['keys', 'list'], asNobody);
    expect([listed.code, listed.output]).toEqual([0, 'Tenant default has no keys.']);
  });
});

if (!hasDisks || !isRoot) it.skip('skipped: needs root for file systems and users', () => undefined);
