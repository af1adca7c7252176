import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';

describe('lectern demo', () => {
  it('prints each line once without a terminal, and removes its data', async () => {
    const before = await readdir(tmpdir());
    const child = spawn(process.execPath, ['dist/cli/lectern.js', 'demo', '--once'], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    expect(await once(child, 'close')).toEqual([0, null]);
    // Neither a return to the start of a line nor an escape: what is printed stays readable in a file.
    // eslint-disable-next-line no-control-regex
    expect(output).not.toMatch(/[\r\u001b]/);
    const files = output.match(/^ {3}✓ \S+\.(?:pdf|md|html): \d+ chunks/gm);
    expect(files).toHaveLength(3);
    expect(output).toContain('17:30');
    const left = (await readdir(tmpdir())).filter((name) => name.startsWith('lectern-demo-'));
    expect(left.filter((name) => !before.includes(name))).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('leaves no files after %s', async (signal) => {
    const before = await readdir(tmpdir());
    const child = spawn(process.execPath, ['dist/cli/lectern.js', 'demo'], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    child.stdout.resume();
    child.kill(signal);
    expect(await once(child, 'close')).toEqual([null, signal]);
    const left = (await readdir(tmpdir())).filter((name) => name.startsWith('lectern-demo-'));
    expect(left.filter((name) => !before.includes(name))).toEqual([]);
  });

  it('exits when stdout is closed, and stops its service', async () => {
    const child = spawn(process.execPath, ['dist/cli/lectern.js', 'demo'], {
      env: { PATH: process.env['PATH'] },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await once(child, 'close')).toEqual([0, null]);
  });
});
