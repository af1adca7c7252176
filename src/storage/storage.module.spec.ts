import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startModules } from '../../test/support/start-modules.js';
import { ObjectStore } from './object-store.js';
import { StorageModule } from './storage.module.js';

const start = (environment: Record<string, string>) => startModules(environment, StorageModule);

describe('StorageModule', () => {
  it('uses a folder in DATA_DIR by default', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lectern-data-'));
    const context = await start({ DATA_DIR: folder });
    await context.get(ObjectStore).put('acme/a', Buffer.from('x'));
    expect(await readdir(join(folder, 'files', 'acme'))).toEqual(['a']);
    await context.close();
    await rm(folder, { recursive: true });
  });

  it('uses the bucket with STORAGE=s3', async () => {
    const context = await start({ STORAGE: 's3', S3_BUCKET: 'files', S3_ENDPOINT: 'http://127.0.0.1:9' });
    expect(context.get(ObjectStore).bucket).toBe('files');
    await context.close();
  });
});
