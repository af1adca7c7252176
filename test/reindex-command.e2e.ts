import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceProcess, type Ended } from './support/process.js';

jest.setTimeout(60_000);

describe('lectern reindex', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-reindex-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const reindex = (environment: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    ServiceProcess.spawn({ DATA_DIR: folder, ...environment }, 'dist/cli/lectern.js', ['reindex']).end();

  it('ends with 1 and one sentence when a process holds the folder', async () => {
    const service = ServiceProcess.spawn({ DATA_DIR: folder, PORT: '0' });
    await service.url();
    const { code, output } = await reindex();
    expect([code, output.split('\n')]).toEqual([1, [expect.stringContaining(folder)]]);
    await service.kill('SIGTERM');
  });

  it('ends with 1 and one sentence when the database does not answer', async () => {
    const { code, output } = await reindex({
      DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:9/lectern',
      JWT_SECRET: randomBytes(48).toString('base64'),
    });
    expect([code, output]).toEqual([
      1,
      'DATABASE_URL: no database to work with at 127.0.0.1:9/lectern (connect ECONNREFUSED 127.0.0.1:9)',
    ]);
  });
});
