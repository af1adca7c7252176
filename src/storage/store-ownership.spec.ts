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

/** Environment of a process. The folder distinguishes an embedded database from copies of it. */
interface Place {
  readonly dataDir: 'live' | 'drill';
  readonly files: string;
}

describe.each(['local', 's3'])('ownership of a %s store', (kind) => {
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

  /** Starts a process on a database and a store. Returns its access and its guarded store. */
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

  /** Gives the copy the rows of a restored dump. */
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

  it('goes to the first database that finds an unowned store, with its content', async () => {
    await storeAt('files').put(KEY, Buffer.from('from before'));
    const { access, store } = await start(live());
    expect(access).toEqual({ kind: 'own' });
    await store.delete(KEY);
    expect(await store.exists(KEY)).toBe(false);
    expect((await start(live())).access).toEqual({ kind: 'own' });
  });

  it('is the same for all processes that start at once', async () => {
    const found = await Promise.all(Array.from({ length: 6 }, () => start(live())));
    expect(found.map(({ access }) => access.kind)).toEqual(Array.from({ length: 6 }, () => 'own'));
    const note = await storeAt('files').readNote();
    const rows = await original.dataSource.query<{ value: { id: string } }[]>(
      `select value from service_state where name = 'object_store'`,
    );
    expect(rows[0]?.value.id).toBe(note?.id);
  });

  it('goes to one of two databases that start at once', async () => {
    const found = await Promise.all([start(live()), start(drill())]);
    expect(found.map(({ access }) => access.kind).sort()).toEqual(['foreign', 'own']);
  });

  it('excludes a restored dump beside the original, which may only read', async () => {
    await (await start(live())).store.put(KEY, Buffer.from('live'));
    await restoreDump();
    const { access, store } = await start(drill());
    expect(access).toMatchObject({
      kind: 'foreign',
      reason: 'The file store belongs to another database, of which this one may be a copy',
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

  it('moves once to a copy that takes the store over, and the original notices', async () => {
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
    // STORAGE_TAKE_OVER named the previous store id.
    expect((await start(live(), { STORAGE_TAKE_OVER })).access.kind).toBe('foreign');
    expect((await start(drill())).access).toEqual({ kind: 'own' });
  });

  it('gives a restored dump an empty store', async () => {
    await start(live());
    await restoreDump();
    expect((await start(drill('other'))).access).toEqual({ kind: 'own' });
    expect((await start(live())).access).toEqual({ kind: 'own' });
  });

  it('accepts a restored backup of database and store', async () => {
    await (await start(live())).store.put(KEY, Buffer.from('x'));
    await restoreDump();
    await copyFiles('other');
    const { access, store } = await start(drill('other'));
    expect(access).toEqual({ kind: 'own' });
    await store.delete(KEY);
    expect((await start(live())).access).toEqual({ kind: 'own' });
    expect(await storeAt('files').exists(KEY)).toBe(true);
    // Once the store has its own note, it does not count as a copy.
    expect((await start(drill('other'))).access).toEqual({ kind: 'own' });
    expect((await start(live('other'))).access.kind).toBe('foreign');
  });

  it('survives a move of the store together with its note', async () => {
    await (await start(live())).store.put(KEY, Buffer.from('x'));
    if (kind === 'local') await rename(join(folder, 'files'), join(folder, 'moved'));
    else s3.addBucket('moved', 'files');
    expect((await start(live('moved'))).access).toEqual({ kind: 'own' });
    await restoreDump();
    expect((await start(drill('moved'))).access.kind).toBe('foreign');
  });

  it('rejects an empty store when other processes of the database use another store', async () => {
    await start(live());
    const { access, store } = await start(live('unshared'));
    expect(access).toMatchObject({
      kind: 'foreign',
      reason: 'The files of this database are in another store than the configured one',
    });
    expect(await store.isChangeable()).toBe(false);
    const STORAGE_TAKE_OVER = access.kind === 'foreign' ? access.id : '';
    const moved = await start(live('unshared'), { STORAGE_TAKE_OVER });
    expect(moved.access).toEqual({ kind: 'own' });
    expect((await start(live())).access.kind).toBe('foreign');
  });

  it('rejects an empty store when documents already have files', async () => {
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

  it('stays unchanged by a read-only process', async () => {
    const { access, store } = await start(live(), { STORAGE_READ_ONLY: 'true' });
    expect(access).toEqual({ kind: 'read-only' });
    await expect(store.put(KEY, Buffer.from('x'))).rejects.toThrow(
      'The file store is read-only: STORAGE_READ_ONLY is set',
    );
    expect(await store.readNote()).toBeUndefined();
  });

  it('is unknown while the store cannot be read, which is logged once with a remedy', async () => {
    const lost = new DataSource({ type: 'postgres' });
    const store = storeAt('files');
    const ownership = new StoreOwnership(settingsWith(), lost, store);
    ownership.onModuleInit();
    await expect(ownership.access()).rejects.toThrow();
    await expect(store.put(KEY, Buffer.from('x'))).rejects.toThrow();
    expect(await store.isChangeable()).toBe(false);
    expect(said).toHaveBeenCalledTimes(1);
  });

  it('is not logged as unknown during a shutdown, which closes the database', async () => {
    const ownership = new StoreOwnership(
      settingsWith(),
      new DataSource({ type: 'postgres' }),
      storeAt('files'),
    );
    ownership.onModuleDestroy();
    await expect(ownership.access()).rejects.toThrow();
    expect(said).not.toHaveBeenCalled();
  });
});
