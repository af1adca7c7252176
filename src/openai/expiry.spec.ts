import { v7 } from 'uuid';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { settingsWith } from '../../test/support/settings.js';
import { StoredDocuments } from '../../test/support/stored-documents.js';
import { AppEntity } from '../auth/app.entity.js';
import { AppRepository } from '../auth/app.repository.js';
import type { Scope } from '../auth/scope.js';
import { DetachedFilesRepository } from '../corpus/vector-stores/detached-files.repository.js';
import { VectorStoreRepository } from '../corpus/vector-stores/vector-store.repository.js';
import { ExpirySweep } from './expiry-sweep.js';
import { FileRepository } from '../corpus/vector-stores/file.repository.js';
import type { UploadedFileRemoval } from '../documents/files/uploaded-file-removal.js';
import type { VectorStoreService } from './vector-stores/vector-store.service.js';

// The time of an id is when the file was made.
const LIVE = v7();
const EXPIRED = v7();
const LASTING = v7();

describe('files and vector stores that expire', () => {
  let database: TestDatabase;
  let scope: Scope;
  let files: FileRepository;
  let stores: VectorStoreRepository;

  const query = (text: string, parameters: unknown[] = []): Promise<unknown> =>
    database.dataSource.query(text, parameters);

  beforeAll(async () => {
    database = await openTestDatabase();
    const { dataSource } = database;
    files = new FileRepository(dataSource);
    stores = new VectorStoreRepository(dataSource);
    scope = await new StoredDocuments(dataSource, 8).tenant('acme');
    const change = { name: null, description: null, metadata: null };
    for (const [id, days] of [
      [LIVE, 7],
      [EXPIRED, 7],
      [LASTING, null],
    ] as const) {
      const file = {
        purpose: 'batch',
        filename: 'a',
        contentType: 't',
        bucket: 'b',
        key: id,
        bytes: 1,
        sha256: null,
      };
      await files.insert(dataSource, scope, {
        id,
        ...file,
        expiresAfterSeconds: days === null ? null : 3_600,
      });
      await dataSource.transaction((manager) =>
        stores.insert(
          manager,
          scope,
          { id, path: `/vector_stores/${id}` },
          { ...change, expiresAfterDays: days },
        ),
      );
    }
    await query(`update files set expires_at = now() - interval '1 second' where file_id = $1`, [EXPIRED]);
    await query(`update vector_stores set last_active_at = now() - interval '8 days' where folder_id <> $1`, [
      LIVE,
    ]);
  }, 60_000);
  afterAll(() => database.close());

  const window = { limit: 10, order: 'asc', after: null, before: null } as const;

  it('are expired when read after their time', async () => {
    expect([await files.find(scope, EXPIRED), (await files.find(scope, LIVE))?.id]).toEqual([null, LIVE]);
    const { rows } = await files.list(scope, null, window);
    expect(rows.map(({ id }) => id)).toEqual([LIVE, LASTING]);
    expect(await files.known(scope, [LIVE, EXPIRED])).toEqual(new Set([LIVE]));
    const listed = await stores.list(scope, window);
    expect(listed.rows.map(({ id, isExpired }) => [id, isExpired])).toEqual([
      [LIVE, false],
      [EXPIRED, true],
      [LASTING, false],
    ]);
  });

  it('are removed by a sweep, each only once', async () => {
    const removed: string[] = [];
    const service = {
      remove: async (of: Scope, id: string) => {
        removed.push(`file ${id}`);
        await files.delete(database.dataSource, of, id);
        return true;
      },
      empty: async (of: Scope, id: string) => {
        removed.push(`store ${id}`);
        await stores.markEmptied(database.dataSource, of, id);
      },
    };
    const sweep = async (): Promise<void> => {
      const sweeper = new ExpirySweep(
        settingsWith(),
        new AppRepository(database.dataSource.getRepository(AppEntity)),
        files,
        service as unknown as UploadedFileRemoval,
        stores,
        new DetachedFilesRepository(database.dataSource),
        service as unknown as VectorStoreService,
      );
      await sweeper.sweep();
    };
    await sweep();
    await sweep();
    expect(removed).toEqual([`file ${EXPIRED}`, `store ${EXPIRED}`]);
    expect(await stores.find(scope, EXPIRED)).toMatchObject({ isExpired: true });
  });

  it('are valid again after an extension, and expire relative to their last use', async () => {
    const change = { name: null, description: null, metadata: null, expiresAfterDays: 30 };
    await stores.write(database.dataSource, scope, EXPIRED, change);
    expect(await stores.find(scope, EXPIRED)).toMatchObject({ isExpired: false, expiresAfterDays: 30 });
    await query(`update vector_stores set last_active_at = now() - interval '5 minutes'`);
    await stores.touch(scope, [LIVE]);
    const active = async (id: string): Promise<number> =>
      Date.now() - ((await stores.find(scope, id))?.lastActiveAt?.getTime() ?? 0);
    expect([(await active(LIVE)) < 200_000, (await active(LASTING)) > 200_000]).toEqual([true, true]);
  });
});
