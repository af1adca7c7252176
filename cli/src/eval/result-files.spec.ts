import { link, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../command.js';
import { checkResultFiles, openDraft } from './result-files.js';

describe('the files of a run', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-eval-'));
    await writeFile(join(folder, 'q.jsonl'), 'questions');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const check = (out: string, against?: string, path = 'q.jsonl') =>
    checkResultFiles({
      path: join(folder, path),
      out: join(folder, out),
      against: against === undefined ? undefined : join(folder, against),
    });

  it('keep their previous content until they are written, and are not created earlier', async () => {
    await writeFile(join(folder, 'old.json'), 'an earlier run');
    await check('old.json');
    await check('new.json');
    expect(await readFile(join(folder, 'old.json'), 'utf8')).toBe('an earlier run');
    expect((await readdir(folder)).sort()).toEqual(['old.json', 'q.jsonl']);
  });

  it('must not be the file of questions, under any path', async () => {
    await symlink(join(folder, 'q.jsonl'), join(folder, 'soft.json'));
    await link(join(folder, 'q.jsonl'), join(folder, 'hard.json'));
    for (const out of ['q.jsonl', 'soft.json', 'hard.json', 'sub/../q.jsonl']) {
      await mkdir(join(folder, 'sub'), { recursive: true });
      await expect(check(out)).rejects.toThrow(UsageError);
      await expect(check(out)).rejects.toThrow('--out names the file of questions');
    }
    await expect(check('new.json', 'soft.json')).rejects.toThrow('--against names the file of questions');
    await writeFile(join(folder, 'q.html'), 'questions');
    await expect(check('q.json', undefined, 'q.html')).rejects.toThrow(
      '--out would write its HTML page over the file of questions',
    );
    expect(await readFile(join(folder, 'q.jsonl'), 'utf8')).toBe('questions');
  });

  it('must be writable', async () => {
    await mkdir(join(folder, 'run.html'));
    const said = (out: string) =>
      check(out).then(
        () => null,
        (error: unknown) => (error as Error).message,
      );
    expect([await said('run.html'), await said('run.json'), await said('no/run.json')]).toEqual([
      `--out: cannot write ${join(folder, 'run.html')}: it is a folder`,
      `--out: cannot write ${join(folder, 'run.html')}: it is a folder`,
      `--out: cannot write ${join(folder, 'no', 'run.json')}: the folder does not exist`,
    ]);
    await expect(check('q.jsonl/run.json')).rejects.toThrow('its parent is a file');
  });

  it('do not overwrite a draft', async () => {
    const path = join(folder, 'q.jsonl');
    await expect(openDraft(path)).rejects.toThrow(
      `--draft: cannot write ${path}: it exists already. Choose another file, or move it`,
    );
    await expect(openDraft(join(folder, 'no', 'q.jsonl'))).rejects.toThrow('the folder does not exist');
    expect(await readFile(path, 'utf8')).toBe('questions');
  });
});
