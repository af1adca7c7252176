import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { staleBuild } from './stale-build.mjs';

describe('staleBuild', () => {
  let root: string;
  /** Writes a file that was last changed at this second. */
  const write = (path: string, second: number): void => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '');
    utimesSync(file, second, second);
  };
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'lectern-stale-'));
    write('src/json/print.ts', 100);
    write('reader/src/read.ts', 100);
    write('dist/.tsbuildinfo', 200);
    write('reader/dist/.tsbuildinfo', 200);
  });
  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  it('is nothing after a build, also with newer specs', () => {
    write('src/json/print.spec.ts', 300);
    expect(staleBuild(root)).toBeUndefined();
  });

  it.each(['src/json/print.ts', 'src/added.ts', 'reader/src/read.ts'])('names a newer source: %s', (path) => {
    write(path, 300);
    const built = path.startsWith('reader') ? 'reader/dist/.tsbuildinfo' : 'dist/.tsbuildinfo';
    expect(staleBuild(root)).toBe(`${path} is newer than ${built}: run npm run build`);
  });

  it('names what was never built', () => {
    rmSync(join(root, 'dist'), { recursive: true });
    expect(staleBuild(root)).toBe('dist/.tsbuildinfo is missing: run npm run build');
  });
});
