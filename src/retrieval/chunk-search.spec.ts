import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Random } from '../../test/support/random.js';
import { StoredDocuments } from '../../test/support/stored-documents.js';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository, type SearchQuery } from '../chunks/chunk.repository.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import { HYBRID } from '../chunks/fusion.js';
import { VectorIndex } from '../chunks/vector-index.js';
import { analyseQuery } from '../lexical/analyse.js';
import type { Settings } from '../config/settings.js';
import { compileSelection, type DocumentSelection } from '../filters/document-predicate.js';
import { parseFilter } from '../filters/parse-filter.js';
import { ChunkSearch } from './chunk-search.js';
import { EXACT_LIMIT } from '../chunks/cost-model.js';

const DIMENSIONS = 16;
const DOCUMENTS = 70;
const CHUNKS = 90;

/** More chunks than are all scored, so that there is a choice among the ways to search. */
describe('a search in a corpus above the crossing', () => {
  let database: TestDatabase;
  let documents: StoredDocuments;
  let repository: ChunkRepository;
  let search: ChunkSearch;
  let scope: Scope;
  const random = new Random(11);

  beforeAll(async () => {
    expect(DOCUMENTS * CHUNKS).toBeGreaterThan(EXACT_LIMIT);
    database = await openTestDatabase();
    documents = new StoredDocuments(database.dataSource, DIMENSIONS);
    repository = new ChunkRepository(database.dataSource);
    search = new ChunkSearch(repository, { RETRIEVAL: 'hybrid' } as Settings);
    scope = await documents.tenant('acme');
    for (let number = 0; number < DOCUMENTS; number += 1) {
      const contents = Array.from({ length: CHUNKS }, () => random.words(4));
      await documents.add(scope, contents, { metadata: { number } });
    }
    await documents.makeVectorIndex();
    await database.dataSource.query('analyze');
  }, 240_000);
  afterAll(() => database.close());

  const queryOf = (text: string): Omit<SearchQuery, 'weights'> => ({
    vector: documents.vector(text),
    terms: analyseQuery(text),
  });

  const below = (number: number): DocumentSelection => ({
    filter: parseFilter({ number: { $lt: number } }, []),
  });

  const truth = async (
    selection: DocumentSelection,
    query: Omit<SearchQuery, 'weights'>,
    limit: number,
  ): Promise<readonly ScoredChunk[]> => {
    const statistics = await repository.statistics(scope, query.terms);
    const weighted = { ...query, weights: HYBRID };
    return (
      await repository.searchExact(scope, compileSelection(scope, selection), weighted, statistics, {
        limit,
        guard: null,
      })
    ).chunks;
  };

  const placesOf = (chunks: readonly ScoredChunk[]): string[] =>
    chunks.map(({ documentId, chunkNumber }) => `${documentId}-${chunkNumber}`);

  it.each([DOCUMENTS, 65, 60, 20, 2, 1, 0])(
    'finds as many as there are, nearly all of the exact answer, with %i of its documents matching',
    async (number) => {
      let found = 0;
      let wanted = 0;
      for (const limit of [1, 10, 200]) {
        const query = queryOf(random.words(5));
        const { chunks } = await search.search(scope, below(number), query, limit, 0);
        const expected = await truth(below(number), query, limit);
        expect(chunks).toHaveLength(expected.length);
        const places = new Set(placesOf(chunks));
        wanted += expected.length;
        found += placesOf(expected).filter((place) => places.has(place)).length;
      }
      expect(found).toBeGreaterThanOrEqual(wanted * 0.98);
    },
  );

  it('says which way it went', async () => {
    const pathOf = async (selection: DocumentSelection): Promise<unknown> =>
      (await search.search(scope, selection, queryOf('w1 w2'), 4, 0)).plan;
    expect(await pathOf({})).toEqual({
      path: 'index',
      matchingChunks: DOCUMENTS * CHUNKS,
      candidates: expect.any(Number) as number,
    });
    const wordless = await search.search(scope, {}, queryOf('xylophone'), 4, 0);
    expect(wordless.plan).toMatchObject({ path: 'index', candidates: 356 }); // no word tells whether few are enough
    const other = await documents.add(scope, ['xylophone']);
    const unconfirmed = await search.search(scope, below(65), queryOf('xylophone'), 4, 0);
    expect(unconfirmed.plan).toMatchObject({ path: 'index', candidates: 356 }); // nor does one out of scope
    await documents.remove(scope, other);
    expect(await pathOf(below(3))).toMatchObject({ path: 'scan', matchingChunks: 3 * CHUNKS });
    const all = await search.search(scope, below(3), queryOf('w1 w2'), 1_000, 0);
    expect([all.chunks.length, all.plan.path]).toEqual([3 * CHUNKS, 'scan']); // and not once more
    expect(await pathOf(below(2))).toEqual({ path: 'exact', matchingChunks: 180, candidates: 180 });
    expect(await pathOf(below(0))).toEqual({ path: 'exact', matchingChunks: 0, candidates: 0 });
  });

  it('leaves out no score that is high enough, at any least score', async () => {
    const query = queryOf(random.words(5));
    const whole = await truth({}, query, 10_000);
    for (const rank of [3, 40, 900]) {
      const minScore = whole[rank]?.score ?? 0;
      const { chunks } = await search.search(scope, {}, query, 1_000, minScore);
      expect(placesOf(chunks)).toEqual(placesOf(whole.filter(({ score }) => score >= minScore)));
    }
    expect((await search.search(scope, {}, query, 10, 1)).chunks).toEqual([]);
  });

  it('has the exact answer among few candidates where the last result is beyond their stopping bound', async () => {
    let whole = 0;
    for (let seed = 0; seed < 6; seed += 1) {
      const query = queryOf(new Random(500 + seed).words(2 + (seed % 3)));
      const statistics = await repository.statistics(scope, query.terms);
      for (const limit of [5, 20, 60, 150, 300]) {
        const { chunks, stoppingBound } = await repository.searchCandidates(
          scope,
          compileSelection(scope, {}),
          { ...query, weights: HYBRID },
          statistics,
          {
            candidates: limit + 5,
            nearestBy: 'index',
            efSearch: 1_000,
            limit,
            candidateTerms: query.terms,
          },
        );
        if ((chunks.at(-1)?.score ?? 0) <= stoppingBound) continue;
        whole += 1;
        expect(placesOf(chunks)).toEqual(placesOf(await truth({}, query, limit)));
      }
    }
    expect(whole).toBeGreaterThan(3);
  }, 30_000);

  it('scores every chunk when the words show that the index missed what is near', async () => {
    const { dataSource } = database;
    const index = VectorIndex.of(dataSource, DIMENSIONS).name;
    /** While it is not, new chunks stay out of the index. */
    const keepUpToDate = (isReady: boolean): Promise<unknown> =>
      dataSource.query(`update pg_index set indisready = ${isReady} where indexrelid = '${index}'::regclass`);
    const query = queryOf('harbour');
    const answer = () => search.search(scope, {}, query, 5, 0);
    const contents = Array<string>(12).fill('harbour');
    const indexed = await documents.add(scope, contents);
    expect((await answer()).plan.path).toBe('index');
    await documents.remove(scope, indexed);
    await keepUpToDate(false);
    const missed = await documents.add(scope, contents).finally(() => keepUpToDate(true));
    const { chunks, plan } = await answer();
    expect(plan.path).toBe('scan'); // the index holds none of them
    expect(chunks).toEqual(await truth({}, query, 5));
    expect(chunks.map(({ documentId }) => documentId)).toEqual(Array(5).fill(missed));
    await documents.remove(scope, missed);
  });

  it('finds what it should when the sample is wrong about the selection', async () => {
    const query = queryOf(random.words(5));
    for (const share of [0, 0.9]) {
      const misled = new ChunkSearch(
        Object.assign(Object.create(repository) as ChunkRepository, {
          sample: () => Promise.resolve({ share, near: 100, nearMatching: 50, parts: [] }),
        }),
        { RETRIEVAL: 'hybrid' } as Settings,
      );
      for (const number of [1, 65]) {
        const { chunks } = await misled.search(scope, below(number), query, 100, 0);
        const expected = placesOf(await truth(below(number), query, 100));
        expect(chunks).toHaveLength(expected.length);
        const right = placesOf(chunks).filter((place) => expected.includes(place));
        expect(right.length).toBeGreaterThanOrEqual(expected.length * 0.97);
      }
    }
  });
});
