import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { startFakeS3, type FakeS3 } from '../../test/support/fake-s3.js';
import { settingsWith } from '../../test/support/settings.js';
import { Unavailable } from '../errors/index.js';
import { LocalObjectStore } from './local/local-object-store.js';
import type { ObjectStore } from './object-store.js';
import { S3ObjectStore } from './s3/s3-object-store.js';
import { StoreOwnership, type StoreAccess } from './store-ownership.js';

const KEY = 'acme/doc/report.pdf';

/** What a process is started on. The embedded database is told from a copy of it by its folder. */
interface Place {
  readonly dataDir: 'live' | 'drill';
  readonly files: string;
}

describe.each(['local', 's3'])('whose a %s store is', (kind) => {
  let folder: string;
  let s3: FakeS3;
  let original: TestDatabase;
  let copy: TestDatabase;
  let stores: ObjectStore[];
  const said = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);

  beforeAll(async () => {
    [original, copy] = [await openTestDatabase(), await openTestDatabase()];
  }, 120_000);
  afterAll(async () => {
    await original.close();
    await copy.close();
  });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-owner-'));
    for (const name of ['live', 'drill']) await mkdir(join(folder, name, 'postgres'), { recursive: true });
    s3 = await startFakeS3('files');
    for (const name of ['other', 'unshared']) s3.addBucket(name);
    stores = [];
    said.mockClear();
    for (const { dataSource } of [original, copy]) {
      await dataSource.query(`delete from service_state where name = 'object_store'`);
    }
  });
  afterEach(async () => {
    for (const store of stores) if (store instanceof S3ObjectStore) store.onApplicationShutdown();
    await s3.close();
    await rm(folder, { recursive: true });
  });

  const live = (files = 'files'): Place => ({ dataDir: 'live', files });
  const drill = (files = 'files'): Place => ({ dataDir: 'drill', files });

  const storeAt = (files: string): ObjectStore => {
    const store =
      kind === 'local'
        ? new LocalObjectStore(join(folder, files))
        : new S3ObjectStore({
            S3_ENDPOINT: s3.url,
            S3_BUCKET: files,
            S3_REGION: 'us-east-1',
            S3_ACCESS_KEY: 'id',
            S3_SECRET_KEY: 'secret',
            S3_TIMEOUT_MS: 60_000,
          });
    stores.push(store);
    return store;
  };

  /** What a process finds that is started on a database and a store, and the store as it may use it. */
  async function start(
    { dataDir, files }: Place,
    environment: Readonly<Record<string, string>> = {},
    database = dataDir === 'live' ? original : copy,
  ): Promise<{ access: StoreAccess; store: ObjectStore }> {
    const store = storeAt(files);
    const server = process.env['DATABASE_URL'];
    const settings = settingsWith({
      DATA_DIR: join(folder, dataDir),
      ...(server === undefined ? {} : { DATABASE_URL: server, JWT_SECRET: `${randomUUID()}${randomUUID()}` }),
      ...environment,
    });
    const ownership = new StoreOwnership(settings, database.dataSource, store);
    ownership.onModuleInit();
    return { access: await ownership.access(), store };
  }

  /** As a restored dump of the original has it. */
  async function restoreDump(): Promise<void> {
    const rows = await original.dataSource.query<{ value: object }[]>(
      `select value from service_state where name = 'object_store'`,
    );
    await copy.dataSource.query(`delete from service_state where name = 'object_store'`);
    await copy.dataSource.query(`insert into service_state (name, value) values ('object_store', $1)`, [
      rows[0]?.value,
    ]);
  }

  const copyFiles = async (to: string): Promise<void> => {
    if (kind === 'local') await cp(join(folder, 'files'), join(folder, to), { recursive: true });
    else s3.addBucket(to, 'files');
  };

  it('is that of the first database that finds it without an owner, with what is in it', async () => {
    await storeAt('files').put(KEY, Buffer.from('from before'));
    const { access, store } = await start(live());
    expect(access).toEqual({ kind: 'own' });
    await store.delete(KEY);
    expect(await store.exists(KEY)).toBe(false);
    expect((await start(live())).access).toEqual({ kind: 'own' });
  });

  it('is one answer for all that start at once', async () => {
    const found = await Promise.all(Array.from({ length: 6 }, () => start(live())));
    expect(found.map(({ access }) => access.kind)).toEqual(Array.from({ length: 6 }, () => 'own'));
    const note = await storeAt('files').readNote();
    const rows = await original.dataSource.query<{ value: { id: string } }[]>(
      `select value from service_state where name = 'object_store'`,
    );
    expect(rows[0]?.value.id).toBe(note?.id);
  });

  it('is that of one of two databases that start at once', async () => {
    const found = await Promise.all([start(live()), start(drill())]);
    expect(found.map(({ access }) => access.kind).sort()).toEqual(['foreign', 'own']);
  });

  it('is not that of a restored dump beside the original: it changes nothing there, and reads', async () => {
    await (await start(live())).store.put(KEY, Buffer.from('live'));
    await restoreDump();
    const { access, store } = await start(drill());
    expect(access).toMatchObject({
      kind: 'foreign',
      reason: 'The store of files belongs to another database, of which this one may be a copy',
    });
    await expect(store.delete(KEY)).rejects.toBeInstanceOf(Unavailable);
    await expect(store.deletePrefix('acme')).rejects.toBeInstanceOf(Unavailable);
    await expect(store.put('acme/new', Buffer.from('x'))).rejects.toBeInstanceOf(Unavailable);
    expect(await store.isChangeable()).toBe(false);
    expect((await store.getBytes(KEY)).toString()).toBe('live');
    expect(said.mock.calls.flat()).toEqual([
      expect.stringMatching(/another database.*STORAGE_READ_ONLY=true.*STORAGE_TAKE_OVER=[\da-f-]{36}$/),
    ]);
    expect((await start(live())).access).toEqual({ kind: 'own' });
  });

  it('goes to a copy that takes it over, once, and the original is told', async () => {
    const { store } = await start(live());
    await store.put(KEY, Buffer.from('x'));
    await restoreDump();
    const { access } = await start(drill());
    const STORAGE_TAKE_OVER = access.kind === 'foreign' ? access.id : '';
    const taken = await Promise.all([
      start(drill(), { STORAGE_TAKE_OVER }),
      start(drill(), { STORAGE_TAKE_OVER }),
    ]);
    expect(taken.map((one) => one.access)).toEqual([{ kind: 'own' }, { kind: 'own' }]);
    expect((await start(live())).access.kind).toBe('foreign');
    // The setting was for what it was then.
    expect((await start(live(), { STORAGE_TAKE_OVER })).access.kind).toBe('foreign');
    expect((await start(drill())).access).toEqual({ kind: 'own' });
  });

  it('of its own is an empty one for a restored dump', async () => {
    await start(live());
    await restoreDump();
    expect((await start(drill('other'))).access).toEqual({ kind: 'own' });
    expect((await start(live())).access).toEqual({ kind: 'own' });
  });

  it('is a restored backup of both, which works as before', async () => {
    await (await start(live())).store.put(KEY, Buffer.from('x'));
    await restoreDump();
    await copyFiles('other');
    const { access, store } = await start(drill('other'));
    expect(access).toEqual({ kind: 'own' });
    await store.delete(KEY);
    expect((await start(live())).access).toEqual({ kind: 'own' });
    expect(await storeAt('files').exists(KEY)).toBe(true);
    // Once it is a store of its own it is not taken for a copy again.
    expect((await start(drill('other'))).access).toEqual({ kind: 'own' });
    expect((await start(live('other'))).access.kind).toBe('foreign');
  });

  it('may move with its note, and is not taken for a copy afterwards', async () => {
    await (await start(live())).store.put(KEY, Buffer.from('x'));
    if (kind === 'local') await rename(join(folder, 'files'), join(folder, 'moved'));
    else s3.addBucket('moved', 'files');
    expect((await start(live('moved'))).access).toEqual({ kind: 'own' });
    await restoreDump();
    expect((await start(drill('moved'))).access.kind).toBe('foreign');
  });

  it('is another one than that of the other processes, for a process with an empty one', async () => {
    await start(live());
    const { access, store } = await start(live('unshared'));
    expect(access).toMatchObject({
      kind: 'foreign',
      reason: 'The files of this database are in another store than this process was given',
    });
    expect(await store.isChangeable()).toBe(false);
    const STORAGE_TAKE_OVER = access.kind === 'foreign' ? access.id : '';
    const moved = await start(live('unshared'), { STORAGE_TAKE_OVER });
    expect(moved.access).toEqual({ kind: 'own' });
    expect((await start(live())).access.kind).toBe('foreign');
  });

  it('is no empty one where documents have files already', async () => {
    await original.dataSource.query(`insert into apps (app_id, name) values ('acme', 'acme')`);
    await original.dataSource.query(
      `insert into documents (app_id, status, content_type, storage_files)
       values ('acme', 'completed', 'text/plain', '[{"key": "acme/doc/report.pdf"}]')`,
    );
    try {
      expect((await start(live())).access).toMatchObject({ kind: 'foreign', id: 'empty' });
      await storeAt('files').put(KEY, Buffer.from('x'));
      expect((await start(live())).access).toEqual({ kind: 'own' });
    } finally {
      await original.dataSource.query(`delete from apps`);
    }
  });

  it('is looked at and not touched by a process that reads only', async () => {
    const { access, store } = await start(live(), { STORAGE_READ_ONLY: 'true' });
    expect(access).toEqual({ kind: 'read-only' });
    await expect(store.put(KEY, Buffer.from('x'))).rejects.toThrow('Files are read only here');
    expect(await store.readNote()).toBeUndefined();
  });

  it('is not known while it cannot be read, and the log says what to look at, once', async () => {
    const lost = new DataSource({ type: 'postgres' });
    const store = storeAt('files');
    const ownership = new StoreOwnership(settingsWith(), lost, store);
    ownership.onModuleInit();
    await expect(ownership.access()).rejects.toThrow();
    await expect(store.put(KEY, Buffer.from('x'))).rejects.toThrow();
    expect(await store.isChangeable()).toBe(false);
    expect(said).toHaveBeenCalledTimes(1);
  });
});
