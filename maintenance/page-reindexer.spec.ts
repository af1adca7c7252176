import { randomUUID } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '../test/support/database.js';
import { PageEmbedder, type MultiVector } from '../src/models/multivector/page-embedder.js';
import type { ObjectStore } from '../src/storage/object-store.js';
import { encodedPage } from '../src/pages/page-vectors.js';
import { PageRepository } from '../src/pages/page.repository.js';
import { PageReindexer } from './reindexer.js';
import { PageSpace } from '../src/chunks/vectors/vector-space.js';

const PAGES = 20;

/** Returns two vectors per page; fails after `failAfter` pages. */
class CountingEmbedder extends PageEmbedder {
  readonly seen: Uint8Array[] = [];

  constructor(
    readonly model: string,
    readonly dims: number,
    private readonly failAfter = Infinity,
  ) {
    super();
  }

  embedPages(pages: readonly Uint8Array[]): Promise<MultiVector[]> {
    if (this.seen.length + pages.length > this.failAfter)
      return Promise.reject(new Error('the model failed'));
    this.seen.push(...pages);
    return Promise.resolve(pages.map(() => this.vectors()));
  }

  embedQuery(): Promise<MultiVector> {
    return Promise.resolve(this.vectors());
  }

  embedImage(): Promise<MultiVector> {
    return Promise.resolve(this.vectors());
  }

  vectors(): MultiVector {
    const { dims } = this;
    return { dims, vectors: new Float32Array(2 * dims).fill(1 / Math.sqrt(dims)) };
  }
}

const IMAGES = { getBytes: (key: string) => Promise.resolve(Buffer.from(key)) } as unknown as ObjectStore;

describe('PageReindexer', () => {
  let database: TestDatabase;
  const old = new CountingEmbedder('test/old', 4);

  beforeEach(async () => {
    database = await openTestDatabase();
    const { dataSource } = database;
    const id = randomUUID();
    await dataSource.query(`insert into apps (app_id, name) values ('acme', 'acme')`);
    await dataSource.query(
      `insert into documents (app_id, external_id, status, content_type, page_revisions)
       values ('acme', $1, 'completed', 'application/pdf', '{1}')`,
      [id],
    );
    await dataSource.transaction(async (manager) => {
      await new PageSpace(dataSource, old).join(manager, old.dims);
      await new PageRepository(dataSource).stage(
        manager,
        { appId: 'acme', documentId: id },
        '1',
        Array.from({ length: PAGES }, (_, index) => ({
          pageNumber: index + 1,
          objectKey: `${index + 1}.png`,
          imageSize: 1_000,
          width: 1,
          height: 1,
          content: `Page ${index + 1}`,
          encoded: encodedPage(old.vectors()),
          fingerprint: null,
        })),
      );
    });
  }, 60_000);
  afterEach(() => database.close());

  const reindex = (embedder: PageEmbedder, reports: number[] = []): Promise<void> =>
    new PageReindexer(database.dataSource, embedder, IMAGES).reindex((done) => reports.push(done));
  const sizes = async (): Promise<unknown> =>
    database.dataSource.query(
      'select length(vectors) as bytes, vector_count as count, count(*)::integer as pages from pages group by 1, 2',
    );

  it('embeds the image of every page again', async () => {
    const next = new CountingEmbedder('test/next', 3);
    const reports: number[] = [];
    await reindex(next, reports);
    expect(await sizes()).toEqual([{ bytes: 6, count: 2, pages: PAGES }]);
    expect(Buffer.from(next.seen[11]!).toString()).toBe('12.png');
    expect(reports).toEqual([8, 16, 20]);
    await expect(new PageSpace(database.dataSource, next).onModuleInit()).resolves.toBeUndefined();
    await expect(new PageSpace(database.dataSource, old).onModuleInit()).rejects.toThrow(
      'run "lectern reindex"',
    );
  });

  it('embeds pages without vectors', async () => {
    await database.dataSource.query('update pages set vectors = null, vector_count = null, pooled = null');
    await database.dataSource.query(`delete from service_state where name = 'page_space'`);
    await reindex(new CountingEmbedder('test/next', 3));
    expect(await sizes()).toEqual([{ bytes: 6, count: 2, pages: PAGES }]);
  });

  it('resumes after a failure, and restarts for another model', async () => {
    const breaking = new CountingEmbedder('test/next', 3, 10);
    await expect(reindex(breaking)).rejects.toThrow('the model failed');
    expect(await sizes()).toEqual([{ bytes: 8, count: 2, pages: PAGES }]);
    const next = new CountingEmbedder('test/next', 3);
    await reindex(next);
    expect(next.seen).toHaveLength(PAGES - 8);
    const third = new CountingEmbedder('test/third', 5, 8);
    await expect(reindex(third)).rejects.toThrow('the model failed');
    const last = new CountingEmbedder('test/last', 6);
    await reindex(last);
    expect(last.seen).toHaveLength(PAGES);
    expect(await sizes()).toEqual([{ bytes: 12, count: 2, pages: PAGES }]);
  });

  it('resumes when all pages are embedded already', async () => {
    await expect(reindex(new CountingEmbedder('test/next', 3, 10))).rejects.toThrow('the model failed');
    await database.dataSource.query('delete from pages where vectors_next is null');
    const next = new CountingEmbedder('test/next', 3);
    await reindex(next);
    expect(next.seen).toEqual([]);
    expect(await sizes()).toEqual([{ bytes: 6, count: 2, pages: 8 }]);
  });

  it('resolves a mismatch of the page space and the embedder', async () => {
    await expect(new PageSpace(database.dataSource, old).hasOthers()).resolves.toBe(false);
    const next = new CountingEmbedder('test/next', 3);
    await expect(new PageSpace(database.dataSource, next).hasOthers()).resolves.toBe(true);
    await reindex(next);
    await expect(new PageSpace(database.dataSource, next).hasOthers()).resolves.toBe(false);
  });
});
