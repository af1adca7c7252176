import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { StoredDocuments } from '../../test/support/stored-documents.js';
import { type Scope, scopeOf, shardOf } from '../auth/scope.js';
import { Quotas } from '../quotas/quotas.service.js';
import { FolderListRepository } from './folder-list.repository.js';
import { FolderRepository, type OwnedFolder } from './folder.repository.js';

const SHARDS = 3;
const PATHS = ['/a', '/a/b', '/c/d', '/e', '/f'];

describe('the names of folders that a person sees in a tenant of several shards', () => {
  let database: TestDatabase;
  let counting: DataSource;
  let folders: FolderRepository;
  let lists: FolderListRepository;
  let person: Scope;
  let made: ReadonlyMap<string, OwnedFolder>;
  /** Rows that the statements over the contents of other shards returned. */
  let read = 0;

  beforeAll(async () => {
    database = await openTestDatabase();
    const { dataSource } = database;
    const tenant = await new StoredDocuments(dataSource, 4).tenant('acme', SHARDS);
    person = scopeOf('acme', ['read'], 'k', { shards: SHARDS, endUserId: 'ann' });
    counting = Object.assign(Object.create(dataSource) as DataSource, {
      query: async (text: string, values?: unknown[]) => {
        const rows: unknown = await dataSource.query(text, values);
        if (text.includes('"isSeen"')) read += (rows as unknown[]).length;
        return rows;
      },
    });
    folders = new FolderRepository(counting, new Quotas(dataSource, { QUOTA_TENANT: {}, QUOTA_PERSON: {} }));
    lists = new FolderListRepository(counting);
    made = new Map(await Promise.all(PATHS.map(async (path) => [path, await fill(tenant, path)] as const)));
    await fill(tenant, '/private', 'bob');
  });
  beforeEach(() => {
    read = 0;
  });
  afterAll(() => database.close());

  /** Adds a document that is not in the first shard. */
  async function fill(tenant: Scope, path: string, endUserId: string | null = null): Promise<OwnedFolder> {
    let id = randomUUID();
    while (shardOf(tenant, id).appId === tenant.appId) id = randomUUID();
    return database.dataSource.transaction(async (manager) => {
      const folder = await folders.ensureFor(manager, tenant, path, id);
      if (folder === null) throw new Error('the root has no row');
      await manager.query(
        `insert into documents (app_id, external_id, status, content_type, folder_id, folder_path, end_user_id)
         values ($1, $2, 'completed', 'text/plain', $3, $4, $5)`,
        [shardOf(tenant, id).appId, id, folder.id, path, endUserId],
      );
      return folder;
    });
  }

  const named = (path: string) => ({ id: null, path });
  const idOf = (path: string): string => made.get(path)?.id ?? '';

  it.each([
    ['by its path', named('/a'), 2],
    ['by the path of an ancestor', named('/c'), 1],
  ])('one folder is looked up %s with what is in it and below', async (_by, name, rows) => {
    const found = await folders.findVisible(counting, person, name);
    expect([found?.path, read]).toEqual([name.path, rows]);
  });

  it('one folder is looked up by its id', async () => {
    const found = await folders.findAll(person, [{ id: idOf('/e'), path: '/e-is-no-path' }]);
    expect([found.map(({ path }) => path), read]).toEqual([['/e'], 1]);
  });

  it('subfolders are listed with what is below their parent', async () => {
    const found = await lists.list(person, { parent: '/a', skip: 0, limit: 10 });
    expect([found.map(({ path }) => path), read]).toEqual([['/a/b'], 2]);
  });

  it('all folders are listed without those that others use in private', async () => {
    const found = await lists.list(person, { parent: null, skip: 0, limit: 10 });
    expect([found.map(({ path }) => path), read]).toEqual([['/a', '/a/b', '/c', '/c/d', '/e', '/f'], 6]);
    expect(await folders.findVisible(database.dataSource, person, named('/private'))).toBeNull();
  });
});
