import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

describe('benchmark measures', () => {
  it('load by file name', () => {
    const listed = execFileSync(process.execPath, ['bench/run.mjs', '--list'], { encoding: 'utf8' });
    const names = listed
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    const files = readdirSync('bench/measures').map((name) => name.replace('.mjs', ''));
    expect([...names].sort()).toEqual(files.sort());
  });
});
