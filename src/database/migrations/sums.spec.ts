import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that decide what a migration does. */
const isPart = (name: string): boolean =>
  /^(\d{13}-|new-tables|talk-statements|former\/).*(?<!\.spec)\.ts$/.test(name);

/** Databases have run these files, so a change of one would never reach them: add a migration instead. */
describe('landed migrations', () => {
  it('are as recorded in sums.txt; `sha256sum FILE >> sums.txt` records a new one', () => {
    const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).filter(isPart).sort();
    const sums = files.map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(__dirname, name)))
          .digest('hex')}  ${name}`,
    );
    const recorded = readFileSync(join(__dirname, 'sums.txt'), 'utf8').trim().split('\n');
    expect(sums.sort()).toEqual(recorded.sort());
  });
});
