import { randomUUID } from 'node:crypto';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Random } from '../../test/support/random.js';
import { type Scope, scopeOf, shardIds, shardOf } from '../auth/scope.js';
import { toUnitLength } from '../models/embedding/unit-length.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { parseFilter } from '../filters/parse/parse-filter.js';
import type { MultiVector, PageEmbedder } from '../models/multivector/page-embedder.js';
import { MaxSimThreads } from './max-sim-threads.js';
import type { PageRow } from './page.js';
import { encodedPage } from './page-vectors.js';
import { PageSpace } from '../chunks/vectors/vector-space.js';
import { PageRepository } from './page.repository.js';
import { PageSearch, type PageQuestion } from './page-search.js';

const DIMS = 16;
const DOCUMENTS = 60;
const PAGES = 20;

const random = new Random(5);

function randomVectors(count: number): MultiVector {
  const vectors = Float32Array.from({ length: count * DIMS }, () => random.below(2_001) / 1_000 - 1);
  for (let row = 0; row < count; row++) toUnitLength(vectors.subarray(row * DIMS, (row + 1) * DIMS));
  return { dims: DIMS, vectors };
}

const randomBits = (): string => Array.from({ length: 64 }, () => random.below(2)).join('');
const keyOf = (page: Pick<PageRow, 'document_id' | 'page_number'>): string =>
  `${page.document_id} ${page.page_number}`;

describe('PageSearch', () => {
  let database: TestDatabase;
  let search: PageSearch;
  const threads = new MaxSimThreads();
  const scope: Scope = scopeOf('acme', ['read'], 'test');
  const stored: { key: string; number: number; vectors: Buffer; fingerprint: string }[] = [];

  beforeAll(async () => {
    database = await openTestDatabase();
    const { dataSource } = database;
    const embedder = { model: 'test/model' } as PageEmbedder;
    const space = new PageSpace(dataSource, embedder);
    await dataSource.transaction((manager) => space.join(manager, DIMS));
    search = new PageSearch(new PageRepository(dataSource), threads, space);
    for (const app of ['acme', 'other']) {
      await dataSource.query('insert into apps (app_id, name) values ($1, $1)', [app]);
    }
    for (let number = 0; number < DOCUMENTS; number += 1) await add('acme', number);
    await add('other', 0);
    await dataSource.query('analyze');
  }, 240_000);
  afterAll(async () => {
    await threads.onApplicationShutdown();
    await database.close();
  });

  async function add(app: string, number: number, id: string = randomUUID()): Promise<void> {
    const { dataSource } = database;
    await dataSource.query(
      `insert into documents (app_id, external_id, status, content_type, metadata, filename, page_revisions)
       values ($1, $2, 'completed', 'application/pdf', $3, $4, '{7}')`,
      [app, id, JSON.stringify({ number, tenth: number % 10 }), `${number}.pdf`],
    );
    const pages = Array.from({ length: PAGES }, (_, index) => ({
      pageNumber: index + 1,
      objectKey: `${index + 1}.png`,
      imageSize: 1_000,
      width: 1,
      height: 1,
      content: `Page ${index + 1} of ${number}`,
      encoded: encodedPage(randomVectors(6)),
      fingerprint: randomBits(),
    }));
    const writer = new PageRepository(dataSource);
    await dataSource.transaction(async (manager) => {
      await writer.stage(manager, { appId: app, documentId: id }, '7', pages);
      // Staged pages, invisible to readers.
      if (number < 3) await writer.stage(manager, { appId: app, documentId: id }, '8', pages);
    });
    if (app !== 'acme') return;
    for (const { pageNumber, encoded, fingerprint } of pages) {
      stored.push({
        key: keyOf({ document_id: id, page_number: pageNumber }),
        number,
        vectors: encoded.vectors,
        fingerprint,
      });
    }
  }

  const asked = (question: PageQuestion) => () => Promise.resolve(question);
  const byText = (vectors: MultiVector): PageQuestion => ({ vectors, fingerprint: null });
  const below = (number: number): DocumentSelection => ({
    filter: parseFilter({ number: { $lt: number } }, []),
  });

  /** Exact scores of all matching pages. */
  async function truth(question: MultiVector, number: number): Promise<Map<string, number>> {
    const within = stored.filter((page) => page.number < number);
    const scores = await threads.scores(
      question,
      within.map(({ vectors }) => vectors),
    );
    return new Map(within.map(({ key }, index) => [key, scores[index] ?? 0]));
  }

  it.each([1, 3, 40, DOCUMENTS])('finds the best pages of %i documents with exact scores', async (number) => {
    let found = 0;
    let wanted = 0;
    for (let round = 0; round < 8; round += 1) {
      const question = randomVectors(5);
      const { pages, matching } = await search.search(scope, below(number), asked(byText(question)), 10);
      const scores = await truth(question, number);
      expect(matching).toBe(Math.min(number * PAGES, 1_001));
      expect(pages).toHaveLength(10);
      for (const page of pages) expect(page.score).toBeCloseTo(scores.get(keyOf(page)) ?? NaN, 12);
      const inOrder = pages.map(({ score }) => score);
      expect(inOrder).toEqual(inOrder.toSorted((one, other) => other - one));
      const best = [...scores].sort((one, other) => other[1] - one[1]).slice(0, 10);
      wanted += best.length;
      found += best.filter(([key]) => pages.some((page) => keyOf(page) === key)).length;
    }
    // Random vectors have no neighbourhoods, so this bound is low; the benchmark measures recall.
    expect(found / wanted).toBeGreaterThan(number * PAGES <= 260 ? 0.99 : 0.4);
  });

  it.each([5, 200, 1_000])('returns %i pages, or all matching pages if fewer match', async (limit) => {
    for (const [number, all] of [
      [2, 40],
      [DOCUMENTS, 1_200],
    ] as const) {
      const { pages } = await search.search(scope, below(number), asked(byText(randomVectors(3))), limit);
      expect(pages).toHaveLength(Math.min(limit, all));
      expect(new Set(pages.map(keyOf)).size).toBe(pages.length);
    }
  });

  it('does not embed the question if no page matches', async () => {
    const ask = jest.fn();
    const nothing = { filter: parseFilter({ number: -1 }, []) };
    await expect(search.search(scope, nothing, ask, 10)).resolves.toEqual({
      pages: [],
      matching: 0,
      candidates: 0,
    });
    expect(ask).not.toHaveBeenCalled();
  });

  it('finds an image by its fingerprint, and scores it by the share of equal bits above chance', async () => {
    const [page] = stored.slice(777);
    const changed = `${page!.fingerprint[0] === '1' ? '0' : '1'}${page!.fingerprint.slice(1)}`;
    const { pages } = await search.search(scope, {}, asked({ vectors: null, fingerprint: changed }), 5);
    expect(pages).toHaveLength(5);
    expect(keyOf(pages[0]!)).toBe(page!.key);
    expect(pages[0]!.score).toBeCloseTo(62 / 64, 12);
    expect(pages[1]!.score).toBeLessThan(0.8);
  });

  it('scores each candidate by the higher of its vector and fingerprint similarities', async () => {
    const [page, other] = [stored[3]!, stored[900]!];
    const vectors: MultiVector = {
      dims: DIMS,
      vectors: Float32Array.from(new Int8Array(other.vectors), (x) => x / 127),
    };
    for (let row = 0; row < 6; row++) toUnitLength(vectors.vectors.subarray(row * DIMS, (row + 1) * DIMS));
    const question = { vectors, fingerprint: page.fingerprint };
    const { pages } = await search.search(scope, {}, asked(question), 2);
    expect(pages.map(keyOf).sort()).toEqual([page.key, other.key].sort());
    expect(pages.every(({ score }) => score > 0.99)).toBe(true);
  });

  it('rejects a question with other dimensions', async () => {
    const question = byText({ dims: 2, vectors: Float32Array.of(1, 0) });
    await expect(search.search(scope, {}, asked(question), 1)).rejects.toMatchObject({ status: 503 });
  });

  it('returns the same pages and scores for a sharded tenant as for an unsharded one', async () => {
    const { dataSource } = database;
    const parted: Scope = { ...scope, appId: 'parted', shards: 3 };
    for (const [number, id] of shardIds(parted).entries()) {
      const shards = number === 0 ? 3 : 0;
      await dataSource.query('insert into apps (app_id, name, shards) values ($1, $1, $2)', [id, shards]);
    }
    await dataSource.query(`insert into apps (app_id, name) values ('undivided', 'undivided')`);
    const undivided: Scope = { ...scope, appId: 'undivided' };
    for (let number = 0; number < 6; number += 1) {
      const id = randomUUID();
      await add(shardOf(parted, id).appId, number, id);
      await dataSource.query(
        `insert into documents (app_id, external_id, status, content_type, metadata, filename, page_revisions)
         select 'undivided', external_id, status, content_type, metadata, filename, page_revisions
         from documents where external_id = $1`,
        [id],
      );
      await dataSource.query(
        `insert into pages (app_id, document_id, revision, page_number, object_key, image_size, width, height, content,
           vectors, vector_count, pooled, fingerprint)
         select 'undivided', document_id, revision, page_number, object_key, image_size, width, height, content,
           vectors, vector_count, pooled, fingerprint from pages where document_id = $1`,
        [id],
      );
    }
    const ask = jest.fn(asked({ ...byText(randomVectors(4)), fingerprint: randomBits() }));
    const expected = await search.search(undivided, below(5), ask, 30);
    ask.mockClear();
    const found = await search.search(parted, below(5), ask, 30);
    expect(found.pages).toEqual(expected.pages);
    expect(found.matching).toBe(expected.matching);
    expect(ask).toHaveBeenCalledTimes(1);
  });

  it('returns no page of a document that the caller may not read', async () => {
    const { dataSource } = database;
    const own = (person: string | null) =>
      dataSource.query(
        `update documents set end_user_id = $1 where app_id = 'acme' and metadata ->> 'number' = '7'`,
        [person],
      );
    const ann = scopeOf('acme', ['read'], 'test', { endUserId: 'ann' });
    const hidden = new Set(stored.filter(({ number }) => number === 7).map(({ key }) => key));
    const [page] = stored.filter(({ number }) => number === 7);
    const questions: PageQuestion[] = [
      byText(randomVectors(4)),
      { vectors: null, fingerprint: page!.fingerprint },
    ];
    await own('bob');
    for (const [selection, readable] of [
      [below(10), 9 * PAGES],
      [{}, (DOCUMENTS - 1) * PAGES],
    ] as const) {
      for (const question of questions) {
        const limit = DOCUMENTS * PAGES;
        const { pages } = await search.search(ann, selection, asked(question), limit);
        expect(pages).toHaveLength(readable);
        expect(pages.filter((found) => hidden.has(keyOf(found)))).toEqual([]);
        const { pages: few } = await search.search(ann, selection, asked(question), 10);
        expect(few).toHaveLength(10);
        expect(few.filter((found) => hidden.has(keyOf(found)))).toEqual([]);
      }
    }
    await own(null);
  });

  it('returns no page of another tenant', async () => {
    const { pages } = await search.search(
      scopeOf('other', ['read'], 'test'),
      {},
      asked(byText(randomVectors(2))),
      1_000,
    );
    expect(pages).toHaveLength(PAGES);
  });
});
