import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256, sourceFiles } from './source-files.js';

describe('the files of a source', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-files-'));
    await mkdir(join(folder, 'manuals', 'b', '.git'), { recursive: true });
    for (const path of ['z.md', '.hidden', 'b/a.md', 'b/.git/config']) {
      await writeFile(join(folder, 'manuals', path), path);
    }
    await symlink(join(folder, 'manuals'), join(folder, 'manuals', 'circle'));
    await symlink(join(folder, 'manuals'), join(folder, 'link'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const paths = async (path: string, name?: string) =>
    (await sourceFiles(join(folder, path), name)).map(({ sourcePath }) => sourcePath);

  it('are named by folder and relative path, without hidden files and links', async () => {
    expect(await paths('manuals')).toEqual(['manuals/b/a.md', 'manuals/z.md']);
    expect(await paths('manuals', 'manual')).toEqual(['manual/b/a.md', 'manual/z.md']);
  });

  it('may be a single file, or behind a link', async () => {
    expect(await paths('manuals/b/a.md')).toEqual(['a.md']);
    expect(await paths('link')).toEqual(['manuals/b/a.md', 'manuals/z.md']);
    await expect(sourceFiles(join(folder, 'nowhere'))).rejects.toThrow('ENOENT');
  });

  it('have a SHA-256 of their bytes', async () => {
    const [file] = await sourceFiles(join(folder, 'manuals', 'z.md'));
    expect(await sha256(file?.path ?? '')).toBe(
      '8195fbfbf122805aab0f4089fef051befe33e6a5f8265307ceb57a3a1f610a2b',
    );
  });
});
