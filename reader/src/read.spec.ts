import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

interface Package {
  readonly dependencies: Readonly<Record<string, string>>;
}

const run = promisify(execFile);

/** A project of someone else: the built package, and nothing but the packages that it declares. */
describe('the package on its own', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lectern-stranger-'));
    const modules = join(folder, 'node_modules');
    mkdirSync(join(modules, '@lectern/reader'), { recursive: true });
    copyFileSync('reader/package.json', join(modules, '@lectern/reader/package.json'));
    cpSync('reader/dist', join(modules, '@lectern/reader/dist'), { recursive: true });
    const { dependencies } = JSON.parse(readFileSync('reader/package.json', 'utf8')) as Package;
    for (const name of Object.keys(dependencies)) {
      mkdirSync(dirname(join(modules, name)), { recursive: true });
      symlinkSync(resolve('node_modules', name), join(modules, name));
    }
    for (const name of ['report.pdf', 'minutes.docx', 'semicolons.csv']) {
      copyFileSync(join('test/fixtures/documents', name), join(folder, name));
    }
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  /** Runs a module in plain Node, which must end by itself. @returns what it prints */
  async function printed(module: string): Promise<string> {
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', module], {
      cwd: folder,
      env: { PATH: process.env['PATH'] },
    });
    return stdout;
  }

  it('reads a PDF, a DOCX and a CSV', async () => {
    const readings: unknown = JSON.parse(
      await printed(`
        import { readFile } from 'node:fs/promises';
        import { read } from '@lectern/reader';
        const readings = [];
        for (const filename of ['report.pdf', 'minutes.docx', 'semicolons.csv']) {
          readings.push(await read(await readFile(filename), { filename, chunks: { size: 32, overlap: 4 } }));
        }
        console.log(JSON.stringify(readings));
      `),
    );
    expect(readings).toMatchObject([
      {
        contentType: 'application/pdf',
        pageCount: 2,
        pages: [{ pageNumber: 1, start: 0 }, { pageNumber: 2 }],
        text: expect.stringContaining('woods') as unknown,
      },
      {
        contentType: expect.stringContaining('wordprocessingml') as unknown,
        pageCount: null,
        textType: 'text/markdown',
      },
      { contentType: 'text/csv', properties: { encoding: 'windows-1252' } },
    ]);
    for (const { text, chunks } of readings as {
      text: string;
      chunks: { text: string; tokens: number }[];
    }[]) {
      expect(chunks.length).toBeGreaterThan(1);
      for (const chunk of chunks) {
        expect(text).toContain(chunk.text);
        expect(chunk.tokens).toBeLessThanOrEqual(32);
      }
    }
  });

  it('aborts with a signal, and says why a file cannot be read', async () => {
    expect(
      await printed(`
        import { ParseFailure, read } from '@lectern/reader';
        const bytes = new TextEncoder().encode('word '.repeat(1_000_000));
        const abort = new AbortController();
        const reading = read(bytes, { signal: abort.signal });
        abort.abort(new Error('no longer wanted'));
        await reading.catch(({ message }) => console.log(message));
        await read(new Uint8Array()).catch((error) => console.log(error instanceof ParseFailure, error.message));
      `),
    ).toBe('no longer wanted\ntrue The file is empty: upload it again with its content.\n');
  });

  it('prints what its README says', async () => {
    const [, example = '', output = ''] =
      /```js\n([\s\S]*?)```\n+It prints:\n+```text\n([\s\S]*?)```/.exec(
        readFileSync('reader/README.md', 'utf8'),
      ) ?? [];
    expect(await printed(example)).toBe(output);
    expect(output).not.toBe('');
  });
});
