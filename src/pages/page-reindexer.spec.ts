import { randomUUID } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { PageEmbedder, type MultiVector, type PageInput } from '../multivector/page-embedder.js';
import type { ObjectStore } from '../storage/object-store.js';
import { encodedPage } from './page-encoding.js';
import { PageReindexer } from './page-reindexer.js';
import { PageSpace } from './page-space.js';
import { PageWriter } from './page-writer.js';

const PAGES = 20;

/** Two vectors a page; after `failAfter` pages it breaks. */
class CountingEmbedder extends PageEmbedder {
  readonly seen: PageInput[] = [];

  constructor(
    readonly model: string,
    readonly dims: number,
    readonly reads: 'text' | 'image',
    private readonly failAfter = Infinity,
  ) {
    super();
  }

  embedPages(pages: readonly PageInput[]): Promise<MultiVector[]> {
    if (this.seen.length + pages.length > this.failAfter) return Promise.reject(new Error('the model broke'));
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

describe('reindexing pages', () => {
  let database: TestDatabase;
  const old = new CountingEmbedder('test/old', 4, 'text');

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
      await new PageWriter(dataSource).stage(
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
          context: 'Title',
          ...encodedPage(old.vectors()),
          fingerprint: null,
        })),
      );
    });
  }, 60_000);
  afterEach(() => database.close());

  const reindex = (embedder: PageEmbedder, reports: number[] = []): Promise<boolean> =>
    new PageReindexer(database.dataSource, embedder, IMAGES).reindex((done) => reports.push(done));
  const sizes = async (): Promise<unknown> =>
    database.dataSource.query(
      'select length(vectors) as bytes, vector_count as count, count(*)::integer as pages from pages group by 1, 2',
    );

  it('embeds every page again, by its text and context', async () => {
    const next = new CountingEmbedder('test/next', 3, 'text');
    const reports: number[] = [];
    await expect(reindex(next, reports)).resolves.toBe(true);
    expect(await sizes()).toEqual([{ bytes: 6, count: 2, pages: PAGES }]);
    expect(next.seen[11]).toEqual({ image: new Uint8Array(), text: 'Page 12', context: 'Title' });
    expect(reports).toEqual([8, 16, 20]);
    await expect(new PageSpace(database.dataSource, next).onModuleInit()).resolves.toBeUndefined();
    await expect(new PageSpace(database.dataSource, old).onModuleInit()).rejects.toThrow('npm run reindex');
  });

  it('reads the images for an embedder that looks at them', async () => {
    const next = new CountingEmbedder('test/next', 3, 'image');
    await reindex(next);
    expect(Buffer.from(next.seen[0]!.image).toString()).toBe('1.png');
  });

  it('goes on where it stopped, and begins anew for another model', async () => {
    const breaking = new CountingEmbedder('test/next', 3, 'text', 10);
    await expect(reindex(breaking)).rejects.toThrow('the model broke');
    expect(await sizes()).toEqual([{ bytes: 8, count: 2, pages: PAGES }]);
    const next = new CountingEmbedder('test/next', 3, 'text');
    await reindex(next);
    expect(next.seen).toHaveLength(PAGES - 8);
    const third = new CountingEmbedder('test/third', 5, 'text', 8);
    await expect(reindex(third)).rejects.toThrow('the model broke');
    const last = new CountingEmbedder('test/last', 6, 'text');
    await reindex(last);
    expect(last.seen).toHaveLength(PAGES);
    expect(await sizes()).toEqual([{ bytes: 12, count: 2, pages: PAGES }]);
  });

  it('leaves vectors of its own embedder alone', async () => {
    await expect(reindex(new CountingEmbedder('test/old', 4, 'text'))).resolves.toBe(false);
  });
});
