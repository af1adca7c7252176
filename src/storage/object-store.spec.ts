import { hash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { startFakeS3, type FakeS3 } from '../../test/support/fake-s3.js';
import { NotFound } from '../errors/index.js';
import { LocalObjectStore } from './local/local-object-store.js';
import type { ObjectStore } from './object-store.js';
import { S3ObjectStore } from './s3/s3-object-store.js';
import { until } from '../../test/support/until.js';

const KEY = 'acme/doc-1/report.pdf';

const collect = async (store: ObjectStore, prefix?: string): Promise<string[]> => {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys.sort();
};

describe.each(['local', 's3'])('%s object store', (kind) => {
  let folder: string;
  let s3: FakeS3;
  let store: ObjectStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-files-'));
    s3 = await startFakeS3('files');
    store =
      kind === 'local'
        ? new LocalObjectStore(join(folder, 'files'))
        : new S3ObjectStore({
            S3_ENDPOINT: s3.url,
            S3_BUCKET: 'files',
            S3_REGION: 'us-east-1',
            S3_ACCESS_KEY: 'id',
            S3_SECRET_KEY: 'secret',
            S3_TIMEOUT_MS: 60_000,
          });
  });
  afterEach(async () => {
    await s3.close();
    await rm(folder, { recursive: true });
  });

  it('returns the bytes of a stored buffer', async () => {
    const bytes = randomBytes(1_000);
    const sha256 = hash('sha256', bytes);
    const stored = { bucket: store.bucket, key: KEY, size: 1_000, sha256 };
    await expect(store.put(KEY, bytes)).resolves.toEqual(stored);
    expect(await buffer(await store.get(KEY))).toEqual(bytes);
    expect(await store.getBytes(KEY)).toEqual(bytes);
    await expect(store.size(KEY)).resolves.toBe(1_000);
    await expect(store.exists(KEY)).resolves.toBe(true);
  });

  it('returns the bytes of a stored stream of unknown length', async () => {
    const parts = Array.from({ length: 40 }, () => randomBytes(500_000));
    const { size, sha256 } = await store.put(KEY, Readable.from(parts));
    expect([size, sha256]).toEqual([20_000_000, hash('sha256', Buffer.concat(parts))]);
    expect((await buffer(await store.get(KEY))).equals(Buffer.concat(parts))).toBe(true);
  });

  it('stores an empty object', async () => {
    await store.put(KEY, new Uint8Array());
    await expect(store.size(KEY)).resolves.toBe(0);
    expect(await buffer(await store.get(KEY))).toHaveLength(0);
  });

  it('replaces an object atomically', async () => {
    await store.put(KEY, Buffer.from('a longer first version'));
    await store.put(KEY, Buffer.from('second'));
    expect((await buffer(await store.get(KEY))).toString()).toBe('second');
  });

  it('returns a range of bytes, both ends included', async () => {
    await store.put(KEY, Buffer.from('0123456789'));
    expect((await buffer(await store.get(KEY, { start: 2, end: 4 }))).toString()).toBe('234');
  });

  it('reports a missing object', async () => {
    await expect(store.get(KEY)).rejects.toBeInstanceOf(NotFound);
    await expect(store.size(KEY)).resolves.toBeUndefined();
    await expect(store.exists(KEY)).resolves.toBe(false);
    await expect(store.delete(KEY)).resolves.toBeUndefined();
    await expect(store.deletePrefix('acme')).resolves.toBe(0);
    await expect(collect(store)).resolves.toEqual([]);
  });

  it('treats a folder as a missing object', async () => {
    await store.put(KEY, Buffer.from('x'));
    await expect(store.get('acme/doc-1')).rejects.toBeInstanceOf(NotFound);
    await expect(store.exists('acme/doc-1')).resolves.toBe(false);
  });

  it('lists and removes the objects below a prefix of whole segments', async () => {
    const below = ['acme/doc-1/a', 'acme/doc-1/b', 'acme/doc-1/deep/er/c', 'acme/doc-1/d'];
    for (const key of [...below, 'acme/doc-10/a', 'other/doc-1/a']) await store.put(key, Buffer.from(key));
    await expect(collect(store, 'acme/doc-1')).resolves.toEqual([...below].sort());
    await expect(store.deletePrefix('acme/doc-1')).resolves.toBe(4);
    await expect(collect(store)).resolves.toEqual(['acme/doc-10/a', 'other/doc-1/a']);
  });

  it('lists sizes and times', async () => {
    await store.put(KEY, Buffer.from('0123'));
    for await (const found of store.list()) {
      expect(found).toMatchObject({ key: KEY, size: 4 });
      expect(found.modifiedAt.getTime()).toBeGreaterThan(0);
    }
    expect.assertions(2);
  });

  it('removes one object', async () => {
    await store.put(KEY, Buffer.from('x'));
    await store.delete(KEY);
    await expect(store.exists(KEY)).resolves.toBe(false);
  });

  it('keeps the old object when a write is interrupted', async () => {
    await store.put(KEY, Buffer.from('first'));
    const broken = Readable.from(
      (async function* () {
        yield await Promise.resolve(randomBytes(9_000_000));
        throw new Error('the client went away');
      })(),
    );
    await expect(store.put(KEY, broken)).rejects.toThrow('the client went away');
    expect((await buffer(await store.get(KEY))).toString()).toBe('first');
    await expect(collect(store)).resolves.toEqual([KEY]);
    expect(s3.uploads.size).toBe(0);
  });

  it('stops on abort with the reason of the caller', async () => {
    const caller = new AbortController();
    const endless = Readable.from(
      (async function* () {
        for (let i = 0; ; i++) {
          if (i === 20) caller.abort(new Error('the caller left'));
          yield await Promise.resolve(randomBytes(1_000_000));
        }
      })(),
    );
    await expect(store.put(KEY, endless, undefined, caller.signal)).rejects.toThrow('the caller left');
    await expect(store.exists(KEY)).resolves.toBe(false);
    await until('the upload is given up', () => s3.uploads.size === 0);
  });

  it.each([
    '',
    '../secret',
    'acme/../../secret',
    '/etc/passwd',
    'acme//x',
    'Acme/x',
    'acme/x\0',
    '.incoming/x',
  ])('rejects the key %j', async (key) => {
    await expect(store.put(key, Buffer.from('x'))).rejects.toThrow('Not an object key');
    await expect(store.get(key)).rejects.toThrow('Not an object key');
    await expect(store.deletePrefix(key)).rejects.toThrow('Not an object key');
    expect(s3.requests).toEqual([]);
  });
});
