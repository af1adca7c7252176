import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DirectoryLock, ownIdentity } from './directory-lock.js';

describe('DirectoryLock', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-lock-'));
    path = join(folder, 'lock');
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function leave(holder: object): Promise<void> {
    await writeFile(path, JSON.stringify({ ...ownIdentity(), token: 'other', since: 'then', ...holder }));
  }

  it('creates the lock file with its holder and removes it on release', async () => {
    const lock = await DirectoryLock.acquire(folder);
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ pid: process.pid });
    lock.release();
    await expect(stat(path)).rejects.toMatchObject({ code: 'ENOENT' });
    lock.release();
  });

  it('rejects a second process and names the holder', async () => {
    const lock = await DirectoryLock.acquire(folder);
    await expect(DirectoryLock.acquire(folder)).rejects.toThrow(
      new RegExp(`^DATA_DIR ${folder} is in use by process ${process.pid} \\(since .*\\): stop it, or start`),
    );
    lock.release();
    (await DirectoryLock.acquire(folder)).release();
  });

  it('replaces the lock of a process that is gone', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    await leave({ pid: child.pid });
    (await DirectoryLock.acquire(folder)).release();
  });

  it('replaces the lock of an earlier process with the same pid', async () => {
    await leave({ started: '1' });
    (await DirectoryLock.acquire(folder)).release();
  });

  it('respects the lock of another container while its heartbeat continues', async () => {
    await leave({ realm: 'elsewhere' });
    const touching = setInterval(() => void utimes(path, new Date(), new Date()), 200);
    try {
      await expect(DirectoryLock.acquire(folder)).rejects.toThrow('is in use by process');
    } finally {
      clearInterval(touching);
    }
  });

  it('waits until another container releases its lock', async () => {
    await leave({ realm: 'elsewhere' });
    const acquired = DirectoryLock.acquire(folder);
    await rm(path);
    (await acquired).release();
  });

  it('recovers from a process that died while it took a lock over', async () => {
    await leave({ started: '1' });
    await writeFile(`${path}.takeover`, '');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(`${path}.takeover`, longAgo, longAgo);
    const lock = await DirectoryLock.acquire(folder);
    expect(await readdir(folder)).toEqual(['lock']);
    lock.release();
    await leave({ started: '1' });
    await writeFile(
      `${path}.takeover`,
      JSON.stringify({ ...ownIdentity(), started: '1', token: 't', since: 's' }),
    );
    (await DirectoryLock.acquire(folder)).release();
    expect(await readdir(folder)).toEqual([]);
  });

  it('names the process that is taking the lock over', async () => {
    await leave({ started: '1' });
    await writeFile(`${path}.takeover`, JSON.stringify({ ...ownIdentity(), token: 't', since: 'now' }));
    await expect(DirectoryLock.acquire(folder)).rejects.toThrow(
      `is in use by process ${process.pid} (since now)`,
    );
  });

  it('never removes the lock of another process', async () => {
    const lock = await DirectoryLock.acquire(folder);
    await leave({});
    lock.release();
    expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ token: 'other' });
  });

  it('lets one of several processes take a stale lock over', async () => {
    await leave({ started: '1' });
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => DirectoryLock.acquire(folder)));
    const locks = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(locks).toHaveLength(1);
    locks[0]?.release();
  });
});
