import type { DataSource } from 'typeorm';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Random } from '../../test/support/random.js';
import { StoredDocuments } from '../../test/support/stored-documents.js';
import { type Scope, shardOf } from '../auth/scope.js';
import type { Settings } from '../config/settings.js';
import type { Embedder } from '../models/embedding/embedder.js';
import { compileSelection, type DocumentSelection } from '../filters/document-predicate.js';
import { STORES_FOLDER } from '../filters/store-folders.js';
import { parseFilter } from '../filters/parse/parse-filter.js';
import type { ScoredChunk } from './chunk.js';
import { ChunkRepository } from './chunk.repository.js';
import { ChunkSearch, type TextSearch } from './chunk-search.js';
import type { ScoredQuery } from './hybrid-score.js';
import { VectorIndex } from './vectors/vector-column.js';
import { EmbeddingSpace } from './vectors/vector-space.js';

const DIMENSIONS = 16;
const DOCUMENTS = 70;
const CHUNKS = 90;
const SETTINGS = { RETRIEVAL: 'hybrid' } as Settings;

/** A data source that counts the statements that are run on it. */
class Counting {
  statements = 0;

  on(dataSource: DataSource): DataSource {
    return Object.assign(Object.create(dataSource) as DataSource, {
      query: (...given: Parameters<DataSource['query']>) => {
        this.statements += 1;
        return dataSource.query(...given);
      },
    });
  }
}

/** The corpus is large enough for both strategies. */
describe('chunk search', () => {
  let database: TestDatabase;
  let documents: StoredDocuments;
  let search: ChunkSearch;
  let space: EmbeddingSpace;
  let scope: Scope;
  const counting = new Counting();
  const random = new Random(11);
  let asked: ScoredQuery | undefined;

  /** An embedder that reports `share` of every question as unreadable. */
  const embedderWith = (share: number): Embedder =>
    ({
      cosineFloor: -1,
      embedQuery: (text: string) => Promise.resolve(documents.vector(text)),
      unreadable: () => ({ share, identifiers: [] as string[] }),
    }) as unknown as Embedder;
  const embedder = embedderWith(0);

  /** Records the weighted question of the last search for the exact comparison. */
  class Recording extends ChunkRepository {
    override hnswSearch(...given: Parameters<ChunkRepository['hnswSearch']>) {
      asked = given[1].query;
      return super.hnswSearch(...given);
    }
    override fullScan(...given: Parameters<ChunkRepository['fullScan']>) {
      asked = given[1].query;
      return super.fullScan(...given);
    }
  }

  beforeAll(async () => {
    database = await openTestDatabase();
    documents = new StoredDocuments(database.dataSource, DIMENSIONS);
    space = new EmbeddingSpace(database.dataSource, embedder);
    search = new ChunkSearch(new Recording(counting.on(database.dataSource)), embedder, space, SETTINGS);
    scope = await documents.tenant('acme');
    for (let number = 0; number < DOCUMENTS; number += 1) {
      const contents = Array.from({ length: CHUNKS }, () => random.words(4));
      await documents.add(scope, contents, { metadata: { number, tenth: number % 10 } });
    }
    await documents.makeVectorIndex();
    await database.dataSource.query('analyze');
  }, 240_000);
  afterAll(() => database.close());

  const searchOf = (
    selection: DocumentSelection,
    question: string,
    limit: number,
    minScore = 0,
  ): TextSearch => ({
    selection,
    question,
    expansion: [],
    limit,
    minScore,
  });

  const below = (number: number): DocumentSelection => ({
    filter: parseFilter({ number: { $lt: number } }, []),
  });

  /** The exact result for the last question. */
  async function truth(selection: DocumentSelection, limit: number): Promise<readonly ScoredChunk[]> {
    if (asked === undefined) throw new Error('nothing was searched for');
    const input = {
      query: asked,
      selection: compileSelection(scope, selection),
      limit,
      lookups: 'serial' as const,
    };
    return (await new ChunkRepository(database.dataSource).fullScan(scope, input)).chunks;
  }

  const placesOf = (chunks: readonly ScoredChunk[]): string[] =>
    chunks.map((chunk) => `${chunk.document_id}-${chunk.chunk_number}`);

  it.each([DOCUMENTS, 65, 60, 20, 2, 1, 0])(
    'returns as many chunks as match, nearly all from the exact result, with %i matching documents',
    async (number) => {
      let found = 0;
      let wanted = 0;
      for (const limit of [1, 10, 200]) {
        const { chunks } = await search.searchText(scope, searchOf(below(number), random.words(5), limit));
        const expected = await truth(below(number), limit);
        expect(chunks).toHaveLength(expected.length);
        const places = new Set(placesOf(chunks));
        wanted += expected.length;
        found += placesOf(expected).filter((place) => places.has(place)).length;
      }
      expect(found).toBeGreaterThanOrEqual(wanted * 0.97);
    },
  );

  it('reports its path and counts', async () => {
    const planOf = async (selection: DocumentSelection): Promise<unknown> =>
      (await search.searchText(scope, searchOf(selection, 'w1 w2', 4))).plan;
    expect(await planOf({})).toEqual({ path: 'index', matchingChunks: DOCUMENTS * CHUNKS, candidates: 88 });
    expect(await planOf(below(3))).toEqual({ path: 'exact', matchingChunks: 270, candidates: 270 });
    expect(await planOf(below(0))).toEqual({ path: 'exact', matchingChunks: 0, candidates: 0 });
    const nobody = await documents.tenant('nobody');
    expect((await search.searchText(nobody, searchOf({}, 'w1', 4))).plan.path).toBe('empty');
  });

  const outsideStores = { withoutStores: true };

  it('runs at most two statements for any selection', async () => {
    for (const selection of [{}, outsideStores, below(3), below(65), { folders: ['/none'] }]) {
      counting.statements = 0;
      await search.searchText(scope, searchOf(selection, random.words(3), 4));
      expect(counting.statements).toBeLessThanOrEqual(2);
    }
  });

  describe('with cached statistics', () => {
    const now = performance.now.bind(performance);
    let ahead = 0;
    let tenant: Scope;
    let cached: ChunkSearch;

    const statementsOf = async (text: string, selection: DocumentSelection = outsideStores) => {
      counting.statements = 0;
      const { chunks } = await cached.searchText(tenant, searchOf(selection, text, 10));
      return { statements: counting.statements, contents: chunks.map(({ content }) => content) };
    };

    beforeAll(() => {
      jest.spyOn(performance, 'now').mockImplementation(() => now() + ahead);
    });
    afterAll(() => jest.restoreAllMocks());
    beforeEach(async () => {
      tenant = await documents.tenant(`cached-${ahead}`);
      cached = new ChunkSearch(
        new ChunkRepository(counting.on(database.dataSource)),
        embedder,
        space,
        SETTINGS,
      );
      await documents.add(tenant, ['red apple', 'green pear']);
      await statementsOf('apple pear plum');
      ahead += 2_000;
    });

    it('runs one statement for known words once the corpus has settled', async () => {
      expect(await statementsOf('apple')).toEqual({ statements: 1, contents: ['red apple', 'green pear'] });
      expect((await statementsOf('unknown apple')).statements).toBe(2);
      expect((await statementsOf('unknown apple')).statements).toBe(1);
    });

    it('repeats a search whose statistics have changed, and then reads them until the corpus has settled', async () => {
      await documents.add(tenant, ['blue plum']);
      expect(await statementsOf('plum')).toMatchObject({
        statements: 3,
        contents: ['blue plum', expect.anything(), expect.anything()],
      });
      expect((await statementsOf('plum')).statements).toBe(2);
      ahead += 2_000;
      expect((await statementsOf('plum')).statements).toBe(1);
    });

    it('leaves out vector stores that were created meanwhile', async () => {
      const { dataSource } = database;
      await dataSource.query(
        `insert into folders (app_id, folder_id, path) values ($1, gen_random_uuid(), $2)`,
        [tenant.appId, STORES_FOLDER],
      );
      await dataSource.query(
        `update documents set folder_path = $2,
           folder_id = (select folder_id from folders where app_id = $1) where app_id = $1`,
        [tenant.appId, STORES_FOLDER],
      );
      expect((await statementsOf('apple')).contents).toEqual([]);
      expect((await statementsOf('apple', {})).contents).toHaveLength(2);
    });

    it('reads the statistics again for a search without a result', async () => {
      await statementsOf('apple', { folders: ['/none'] });
      await documents.add(tenant, ['blue plum']);
      expect((await statementsOf('apple', { folders: ['/none'] })).contents).toEqual([]);
      expect((await statementsOf('plum', {})).contents[0]).toBe('blue plum');
    });
  });

  it('returns every chunk above the minimum score', async () => {
    const text = random.words(5);
    await search.searchText(scope, searchOf({}, text, 10));
    const whole = await truth({}, 10_000);
    for (const rank of [3, 40, 900]) {
      const minScore = whole[rank]?.score ?? 0;
      const { chunks } = await search.searchText(scope, searchOf({}, text, 1_000, minScore));
      expect(placesOf(chunks)).toEqual(placesOf(whole.filter(({ score }) => score >= minScore)));
    }
    expect((await search.searchText(scope, searchOf({}, text, 10, 1))).chunks).toEqual([]);
  });

  it('falls back to a full scan when the HNSW search stops early', async () => {
    const { dataSource } = database;
    const index = VectorIndex.of(dataSource, DIMENSIONS).name;
    await dataSource.query(`alter index ${index} rename to away`);
    await dataSource.query(`drop index away`);
    await dataSource.query(
      `create index ${index} on chunks using hnsw ((embedding::halfvec(${DIMENSIONS})) halfvec_cosine_ops) where chunk_number < 0`,
    );
    try {
      const found = await search.searchText(scope, searchOf({}, 'w1 w2', 5));
      expect(placesOf(found.chunks)).toEqual(placesOf(await truth({}, 5)));
    } finally {
      await dataSource.query(`drop index ${index}`);
      await documents.makeVectorIndex();
    }
  }, 60_000);

  it('asks for more candidates when an uncounted search stops early', async () => {
    const candidates: number[] = [];
    class Stopping extends ChunkRepository {
      override async hnswSearch(...given: Parameters<ChunkRepository['hnswSearch']>) {
        candidates.push(given[1].candidates);
        const result = await super.hnswSearch(...given);
        return candidates.length === 1 ? { ...result, farthest: null } : result;
      }
    }
    const stopping = new ChunkSearch(new Stopping(database.dataSource), embedder, space, SETTINGS);
    const most = { filter: parseFilter({ number: { $lt: 60 } }, []) };
    const found = await stopping.searchText(scope, searchOf(most, 'w1 w2', 5));
    expect([candidates, found.plan.path]).toEqual([[90, 450], 'index']);
    await search.searchText(scope, searchOf(most, 'w1 w2', 5));
    expect(placesOf(found.chunks)).toEqual(placesOf(await truth(most, 5)));
  });

  it('raises the lexical weight with the unreadable share', async () => {
    const unread = new ChunkSearch(
      new ChunkRepository(database.dataSource),
      embedderWith(1),
      space,
      SETTINGS,
    );
    const weightsOf = async (by: ChunkSearch, question: string) =>
      (await by.searchText(scope, searchOf({}, question, 3))).chunks[0]?.score_parts.weights;
    expect((await weightsOf(unread, 'w1 w2'))?.lexical).toBeCloseTo(0.85, 9);
    expect((await weightsOf(search, 'w1 w2'))?.lexical).toBeCloseTo(0.26, 9);
    expect(await weightsOf(search, '?')).toEqual({ dense: 1, lexical: 0 });
  });

  it('finds the right chunks with a stale cached selectivity', async () => {
    const text = random.words(5);
    for (const [remembered, now] of [
      [1, 69],
      [69, 1],
    ] as const) {
      const other = new ChunkSearch(new Recording(database.dataSource), embedder, space, SETTINGS);
      const ids = (number: number) => ({ filter: parseFilter({ changing: { $lt: number } }, []) });
      await mark(remembered);
      await other.searchText(scope, searchOf(ids(1), text, 100));
      await mark(now);
      const { chunks } = await other.searchText(scope, searchOf(ids(1), text, 100));
      const expected = placesOf(await truth(ids(1), 100));
      expect(chunks).toHaveLength(expected.length);
      const right = placesOf(chunks).filter((place) => expected.includes(place));
      expect(right.length).toBeGreaterThanOrEqual(expected.length * 0.95);
    }

    function mark(count: number): Promise<unknown> {
      return database.dataSource.query(
        `update documents set metadata = metadata || jsonb_build_object('changing', case when (metadata ->> 'number')::int < $1 then 0 else 5 end)
         where app_id = 'acme'`,
        [count],
      );
    }
  });

  describe('of a tenant with several shards', () => {
    let parted: Scope;

    // Inserts the same rows again, each into the shard of its document.
    beforeAll(async () => {
      const { dataSource } = database;
      parted = await documents.tenant('parted', 3);
      const rows = await dataSource.query<{ external_id: string; metadata: object; contents: string[] }[]>(
        `select d.external_id, d.metadata, array(select c.content from chunks c where c.document_id = d.external_id
           and c.app_id = d.app_id order by c.chunk_number) as contents from documents d where d.app_id = 'acme'`,
      );
      for (const { external_id: id, metadata, contents } of rows) {
        const part = shardOf(parted, id);
        await dataSource.query(
          `insert into documents (app_id, external_id, status, content_type, metadata, in_shared_statistics)
           values ($1, $2, 'completed', 'text/plain', $3, true)`,
          [part.appId, id, JSON.stringify(metadata)],
        );
        await documents.replace(part, id, contents);
      }
      await dataSource.query('analyze');
    }, 240_000);

    it.each([1, 3])('scores exactly as an undivided tenant, in %i documents', async (number) => {
      const selection = below(number);
      for (const limit of [1, 10, 1_000]) {
        const question = random.words(5);
        const expected = await search.searchText(scope, searchOf(selection, question, limit, 0.2));
        const found = await search.searchText(parted, searchOf(selection, question, limit, 0.2));
        expect(expected.plan.path).toBe('exact');
        expect(found).toEqual(expected);
      }
    });

    it.each([DOCUMENTS, 65, 60, 20])(
      'finds as many chunks as an undivided tenant, and as good, with %i matching documents',
      async (number) => {
        let found = 0;
        let wanted = 0;
        for (const limit of [1, 10, 200]) {
          const question = random.words(5);
          const undivided = await search.searchText(scope, searchOf(below(number), question, limit));
          const expected = await truth(below(number), limit);
          const { chunks, plan } = await search.searchText(parted, searchOf(below(number), question, limit));
          expect(chunks).toHaveLength(undivided.chunks.length);
          expect(chunks).toEqual(
            chunks.toSorted(
              (one, other) =>
                other.score - one.score ||
                Number(one.document_id > other.document_id) - Number(one.document_id < other.document_id) ||
                one.chunk_number - other.chunk_number,
            ),
          );
          expect(Math.abs(plan.matchingChunks - number * CHUNKS)).toBeLessThan(0.15 * DOCUMENTS * CHUNKS);
          const scores = new Map(expected.map((chunk) => [placesOf([chunk])[0], chunk.score]));
          const right = chunks.filter((chunk) => scores.has(placesOf([chunk])[0]));
          for (const chunk of right) expect(chunk.score).toBe(scores.get(placesOf([chunk])[0]));
          found += right.length;
          wanted += expected.length;
        }
        expect(found).toBeGreaterThanOrEqual(wanted * 0.97);
      },
    );

    it('returns every chunk above the minimum score from every shard', async () => {
      const text = random.words(5);
      await search.searchText(scope, searchOf({}, text, 10));
      const whole = await truth({}, 10_000);
      for (const rank of [3, 40, 900]) {
        const minScore = whole[rank]?.score ?? 0;
        const { chunks } = await search.searchText(parted, searchOf({}, text, 1_000, minScore));
        expect(placesOf(chunks)).toEqual(placesOf(whole.filter(({ score }) => score >= minScore)));
      }
    });
  });
});
