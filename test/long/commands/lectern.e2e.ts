import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { COMMANDS } from '../../support/commands.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

describe('lectern', () => {
  const lectern = (...args: string[]): Promise<Ended> =>
    ServiceProcess.spawn({}, 'dist/cli/lectern.js', args).end();

  it('lists its commands, and rejects an unknown one', async () => {
    const help = await lectern('--help');
    expect(help.code).toBe(0);
    expect([...help.output.matchAll(/^ {2}(\w+) +\S/gm)].map(([, name]) => name).sort()).toEqual(
      [...COMMANDS].sort(),
    );
    const wrong = await lectern('sarch');
    expect([wrong.code, wrong.output.split('\n')[0]]).toEqual([1, 'unknown command "sarch"']);
  });

  it('prints the usage of a command', async () => {
    const { code, output } = await lectern('help', 'ask');
    expect([code, output.split('\n')[0]]).toEqual([0, 'Usage: lectern ask <question> [options]']);
  });

  it.each(COMMANDS)('%s has a usage and a version', async (command) => {
    const help = await lectern(command, '--help');
    expect([help.code, help.output]).toEqual([0, expect.stringMatching(/^Usage:\s+lectern /)]);
    expect(help.output).toContain(`lectern ${command}`);
    expect(help.output).toMatch(/^ +--help /m);
    const told = await lectern(command, '--version');
    expect([told.code, told.output.split(' (')[0]]).toEqual([0, version]);
    expect(told.output).toMatch(/^\S+ \((commit [\da-f]+, )?schema \w+\d{13}\)$/);
  });

  it.each(COMMANDS)('%s rejects an unknown flag, and does nothing', async (command) => {
    const { code, output } = await lectern(command, '--wrong');
    expect(code).toBe(1);
    const [first, ...usage] = output.split('\n');
    expect(first).toMatch(/^Unknown option '--wrong'/);
    expect(usage.join('\n')).toMatch(new RegExp(`^\\nUsage:\\s+lectern ${command}`));
  });

  describe('in a folder', () => {
    let folder: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'lectern-command-'));
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    const inFolder = (command: string, ...args: string[]): Promise<Ended> =>
      ServiceProcess.spawn({ DATA_DIR: folder, PORT: '0' }, 'dist/cli/lectern.js', [command, ...args]).end();

    it.each([['serve'], ['start']])(
      '%s names the setting of a data folder that cannot be used',
      async (command) => {
        const file = join(folder, 'file');
        await writeFile(file, '');
        const started = ServiceProcess.spawn({ DATA_DIR: file, PORT: '0' }, 'dist/cli/lectern.js', [command]);
        const { code, output } = await started.end();
        expect([code, output.split('\n')]).toEqual([
          1,
          [
            expect.stringMatching(
              /^DATA_DIR \S+ is not usable \(.+\): .+ set DATA_DIR \(--data of lectern serve\)/,
            ),
          ],
        ]);
      },
    );

    it.each([
      ['keys', ['list']],
      ['keys', ['create', '--name', 'reader', '--scopes', 'read']],
      ['reindex', []],
      ['migrate', []],
    ])('%s %j does not create a database', async (command, args) => {
      const { code, output } = await inFolder(command, ...args);
      expect([code, output]).toEqual([
        1,
        `No database in ${folder}: set DATA_DIR to the data folder of the service, or DATABASE_URL to its PostgreSQL`,
      ]);
      expect(await readdir(folder)).toEqual([]);
    });

    it('reports a folder given as a file', async () => {
      const { code, output } = await inFolder('eval', folder, '--out', join(folder, 'run.json'));
      expect([code, output]).toEqual([1, `${folder} is a folder, not a file`]);
    });

    it('exits silently when stdout is closed', async () => {
      const child = spawn(process.execPath, ['dist/cli/lectern.js', 'doctor'], {
        env: { PATH: process.env['PATH'], DATA_DIR: folder, PORT: '0' },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.destroy();
      let complaints = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
      expect([await once(child, 'close'), complaints]).toEqual([[0, null], '']);
    });
  });
});
