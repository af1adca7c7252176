import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { startFakeS3, type FakeS3 } from '../../../test/support/fake-s3.js';
import { Unavailable } from '../../errors/index.js';
import { S3ObjectStore } from './s3-object-store.js';

const SECRET = 'spec-secret-key';

describe('S3ObjectStore', () => {
  let s3: FakeS3;
  let store: S3ObjectStore;

  beforeEach(async () => {
    s3 = await startFakeS3('files');
    store = new S3ObjectStore({
      S3_ENDPOINT: s3.url,
      S3_BUCKET: 'files',
      S3_REGION: 'eu-central-1',
      S3_ACCESS_KEY: 'spec-access-key',
      S3_SECRET_KEY: SECRET,
      S3_TIMEOUT_MS: 60_000,
    });
  });
  afterEach(async () => {
    store.onApplicationShutdown();
    await s3.close();
  });

  it('sends a small object in one request with its type', async () => {
    await store.put('acme/a.png', Buffer.from('x'), 'image/png');
    expect(s3.requests).toEqual(['PUT /files/acme/a.png?x-id=PutObject']);
    expect(s3.objects.get('acme/a.png')?.contentType).toBe('image/png');
  });

  it('sends a large object in parts', async () => {
    await store.put('acme/a', Readable.from([randomBytes(9_000_000), randomBytes(9_000_000)]));
    expect(s3.requests.filter((request) => request.includes('partNumber='))).toHaveLength(3);
    expect(s3.uploads.size).toBe(0);
    expect(s3.objects.get('acme/a')?.body).toHaveLength(18_000_000);
  });

  it('lists page by page', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
      await store.put(`acme/${name}`, Buffer.from(name));
    const keys: string[] = [];
    for await (const { key } of store.list('acme')) keys.push(key);
    expect(keys).toHaveLength(7);
    expect(s3.requests.filter((request) => request.includes('list-type=2'))).toHaveLength(3);
  });

  it.each([
    [403, 'AccessDenied'],
    [404, 'NoSuchBucket'],
  ])('throws Unavailable after status %d %s and hides the secret', async (status, code) => {
    s3.refuseWith(status, code);
    for (const attempt of [
      () => store.put('acme/a', Buffer.from('x')),
      () => store.get('acme/a'),
      () => store.delete('acme/a'),
      () => store.deletePrefix('acme'),
    ]) {
      const failure = await attempt().catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(Unavailable);
      expect((failure as Error).message).toBe(
        `The object store rejected a request with status ${status} (${code})`,
      );
      expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(SECRET);
    }
  });

  it('deletes a prefix page by page, because a tenant may have more objects than fit into memory', async () => {
    for (let number = 0; number < 5; number += 1) await store.put(`acme/${number}`, Buffer.from('x'));
    s3.requests.length = 0;
    await expect(store.deletePrefix('acme')).resolves.toBe(5);
    expect([...s3.objects.keys()]).toEqual([]);
    expect(s3.requests.slice(0, 2).map((request) => request.split(' ', 1)[0])).toEqual(['GET', 'DELETE']);
  });

  it('throws Unavailable when the store is unreachable', async () => {
    await s3.close();
    await expect(store.get('acme/a')).rejects.toThrow('The object store cannot be reached');
    await expect(store.put('acme/a', Buffer.from('x'))).rejects.toBeInstanceOf(Unavailable);
    s3 = await startFakeS3('files');
  });
});
