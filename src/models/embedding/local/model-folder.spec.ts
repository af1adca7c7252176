import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCAL_MODELS } from '../../../config/local-models.js';
import { modelFolder } from './model-folder.js';

describe('modelFolder', () => {
  let root: string;
  let service: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lectern-models-'));
    service = join(root, 'node_modules', 'lectern');
    await mkdir(join(service, 'models', 'all-MiniLM-L6-v2'), { recursive: true });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('is in the installation for the bundled model', () => {
    expect(modelFolder(LOCAL_MODELS.local, service)).toBe(join(service, 'models', 'all-MiniLM-L6-v2'));
  });

  it('is the installed package of another model', async () => {
    const beside = join(root, 'node_modules', '@lectern', 'multilingual-e5-small');
    await mkdir(beside, { recursive: true });
    await writeFile(join(beside, 'package.json'), '{}');
    expect(modelFolder(LOCAL_MODELS['local-multilingual'], service)).toBe(beside);
  });

  it('throws with the install command for a missing package', () => {
    expect(() => modelFolder(LOCAL_MODELS['local-multilingual'], service)).toThrow(
      'run "npm install @lectern/multilingual-e5-small" where lectern is installed',
    );
  });
});
