import { mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { LocalObjectStore } from './local-object-store.js';

describe('LocalObjectStore', () => {
  let root: string;
  let store: LocalObjectStore;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'lectern-files-'));
    store = new LocalObjectStore(root);
  });
  afterEach(() => rm(root, { recursive: true }));

  it('leaves only the object after a write', async () => {
    await store.put('acme/doc/a', Buffer.from('x'));
    expect((await readdir(root, { recursive: true })).sort()).toEqual([
      '.incoming',
      'acme',
      'acme/doc',
      'acme/doc/a',
    ]);
  });

  it('leaves no file after an interrupted write', async () => {
    const broken = Readable.from(
      (async function* () {
        yield await Promise.resolve(Buffer.from('x'));
        throw new Error('the client went away');
      })(),
    );
    await expect(store.put('acme/doc/a', broken)).rejects.toThrow('the client went away');
    expect(await readdir(root, { recursive: true })).toEqual(['.incoming']);
  });

  it.each(['ENOSPC', 'EDQUOT', 'EROFS'])('throws Unavailable when the disk fails with %s', async (code) => {
    const full = new Readable({
      read() {
        this.destroy(Object.assign(new Error('write failed'), { code }));
      },
    });
    await expect(store.put('acme/doc/a', full)).rejects.toMatchObject({
      status: 503,
      message: `The disk cannot store more files (${code})`,
    });
    expect(await readdir(root, { recursive: true })).toEqual(['.incoming']);
  });

  it('removes empty folders together with a prefix', async () => {
    await store.put('acme/doc/a', Buffer.from('x'));
    await store.deletePrefix('acme');
    expect(await readdir(root)).toEqual(['.incoming']);
  });

  it('removes uploads abandoned for a day and no others', async () => {
    await mkdir(join(root, '.incoming'));
    await writeFile(join(root, '.incoming', 'old'), '');
    await writeFile(join(root, '.incoming', 'new'), '');
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1_000);
    await utimes(join(root, '.incoming', 'old'), longAgo, longAgo);
    await store.removeAbandoned();
    expect(await readdir(join(root, '.incoming'))).toEqual(['new']);
  });

  it('tolerates a missing folder', async () => {
    await expect(new LocalObjectStore(join(root, 'none')).removeAbandoned()).resolves.toBeUndefined();
  });

  it('lists only its own files', async () => {
    await symlink('/etc/hostname', join(root, 'link'));
    const keys: string[] = [];
    for await (const { key } of store.list()) keys.push(key);
    expect(keys).toEqual([]);
  });
});
