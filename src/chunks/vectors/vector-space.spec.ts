import { onServer } from '../../../test/support/server-database.js';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { StartRefused, Unavailable } from '../../errors/index.js';
import { PageEmbedder } from '../../models/multivector/page-embedder.js';
import { PageSpace } from './vector-space.js';

const DOCUMENT = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

/** An embedder with a name only. */
class Named extends PageEmbedder {
  constructor(readonly model: string) {
    super();
  }

  embedPages = () => Promise.resolve([]);
  embedQuery = () => Promise.reject(new Error('unexpected question'));
  embedImage = () => Promise.reject(new Error('unexpected question'));
}

describe('PageSpace', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
    const { dataSource } = database;
    await dataSource.query(`insert into apps (app_id, name) values ('a', 'a') on conflict do nothing`);
    await dataSource.query(
      `insert into documents (app_id, external_id, status, content_type) values ('a', '${DOCUMENT}', 'completed', 'text/plain')`,
    );
  }, 60_000);
  afterAll(() => database.close());

  const spaceOf = (model: string | null): PageSpace =>
    new PageSpace(database.dataSource, model === null ? null : new Named(model));
  const join = (model: string, dimensions: number): Promise<void> =>
    database.dataSource.transaction((manager) => spaceOf(model).join(manager, dimensions));
  const addPage = (): Promise<unknown> =>
    database.dataSource.query(
      `insert into pages (app_id, document_id, page_number, revision, object_key, width, height, content, vectors, vector_count, pooled)
       values ('a', '${DOCUMENT}', 1, 1, 'k', 1, 1, '', '\\x00', 1, array_fill(1, array[128])::real[]::halfvec)`,
    );

  it('accepts any model while no pages exist', async () => {
    await join('one', 128);
    await join('two', 64);
    await join('two', 128);
    await expect(spaceOf('three').onModuleInit()).resolves.toBeUndefined();
  });

  it('refuses another model or dimensions while pages exist', async () => {
    await join('one', 128);
    await addPage();
    await expect(join('one', 128)).resolves.toBeUndefined();
    await expect(join('one', 64)).rejects.toThrow(Unavailable);
    await expect(join('two', 128)).rejects.toThrow(
      /embedded by one \(128 dimensions\).* is now two \(128 dimensions\)/,
    );
    await expect(spaceOf('one').onModuleInit()).resolves.toBeUndefined();
    await expect(spaceOf(null).onModuleInit()).resolves.toBeUndefined();
    await expect(spaceOf('two').onModuleInit()).rejects.toThrow(StartRefused);
  });

  it('refuses searches and written rows of another model', async () => {
    const { dataSource } = database;
    await expect(spaceOf('one').requireOwn()).resolves.toBeUndefined();
    await expect(spaceOf('one').requireOwnIn(dataSource)).resolves.toBeUndefined();
    await expect(spaceOf(null).requireOwn()).resolves.toBeUndefined();
    const message =
      'The stored pages were embedded by one (128 dimensions), and this process uses two: restart it with MULTIVECTOR for one';
    await expect(spaceOf('two').requireOwn()).rejects.toEqual(new Unavailable(message));
    await expect(spaceOf('two').requireOwnIn(dataSource)).rejects.toEqual(new Unavailable(message));
  });

  it('refuses to start while pages without vectors exist', async () => {
    await database.dataSource.query('update pages set vectors = null, vector_count = null, pooled = null');
    await expect(spaceOf(null).onModuleInit()).resolves.toBeUndefined();
    await expect(spaceOf('one').onModuleInit()).rejects.toThrow(
      /embedded by no model and MULTIVECTOR is now one/,
    );
    await expect(join('two', 64)).resolves.toBeUndefined(); // no vector has other dimensions
  });

  it('accepts another model after all pages are deleted', async () => {
    await database.dataSource.query('delete from pages');
    await expect(spaceOf('two').onModuleInit()).resolves.toBeUndefined();
    await expect(join('two', 64)).resolves.toBeUndefined();
  });

  onServer('on a server', () => {
    it('accepts another model while an older snapshot still sees the deleted pages', async () => {
      await database.dataSource.query('delete from pages');
      await join('one', 128);
      await addPage();
      const reader = database.dataSource.createQueryRunner();
      await reader.startTransaction('REPEATABLE READ');
      try {
        await reader.query('select count(*) from apps'); // takes the snapshot without a lock on pages
        await database.dataSource.query('delete from pages');
        await expect(join('two', 64)).resolves.toBeUndefined();
      } finally {
        await reader.rollbackTransaction();
        await reader.release();
      }
    });
  });
});
