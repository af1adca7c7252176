import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Random } from '../../test/support/random.js';
import { StoredDocuments } from '../../test/support/stored-documents.js';
import type { Scope } from '../auth/scope.js';
import { ChunkRepository, type CandidateBounds, type CandidateResult } from '../chunks/chunk.repository.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import { HYBRID, scoredQuery, type ScoredQuery, type SearchQuery } from '../chunks/fusion.js';
import { VectorIndex } from '../chunks/vector-index.js';
import { analyseQuery } from '../lexical/analyse.js';
import type { Settings } from '../config/settings.js';
import { compileSelection, type DocumentSelection } from '../filters/document-predicate.js';
import { parseFilter } from '../filters/parse/parse-filter.js';
import { ChunkSearch } from './chunk-search.js';
import { EXACT_LIMIT } from '../chunks/cost-model.js';
import { candidateTerms } from './planner.js';
import { evidenceOf } from './stopping-rule.js';

/** How the nearest chunks are found. */
const WAYS = {
  index: { nearestBy: 'index', efSearch: 1_000 },
  scan: { nearestBy: 'scan', looksUp: false },
  'look-up': { nearestBy: 'scan', looksUp: true },
} as const;
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
      await documents.add(scope, contents, { metadata: { number, tenth: number % 10 } });
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

  const scored = async (query: Omit<SearchQuery, 'weights'>): Promise<ScoredQuery> =>
    scoredQuery({ ...query, weights: HYBRID }, await repository.statistics(scope, query.terms));

  const truth = async (
    selection: DocumentSelection,
    query: Omit<SearchQuery, 'weights'>,
    limit: number,
  ): Promise<readonly ScoredChunk[]> => {
    const compiled = compileSelection(scope, selection);
    const bounds = { limit, guard: DOCUMENTS * CHUNKS * 2 };
    return (await repository.searchExact(scope, compiled, await scored(query), bounds)).chunks;
  };

  const candidates = (
    selection: DocumentSelection,
    query: ScoredQuery,
    bounds: CandidateBounds & { readonly limit: number },
  ): Promise<CandidateResult> =>
    repository.searchCandidates(scope, compileSelection(scope, selection), query, bounds);

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

  it('settles by all words what the rarest ones leave open', async () => {
    const query = queryOf(Array.from({ length: 200 }, (_, number) => `w${number}`).join(' '));
    const asked = await scored(query);
    expect(candidateTerms(asked.terms).length).toBeLessThan(asked.terms.length);
    const whole = await truth({}, query, 10_000);
    const minScore = whole[900]?.score ?? 0;
    const { chunks, plan } = await search.search(scope, {}, query, 1_000, minScore);
    expect(plan.path).toBe('exact-after-all');
    expect(chunks).toEqual(whole.filter(({ score }) => score >= minScore));
  });

  it.each([
    ['index', {}],
    ['scan', {}],
    ['index', { filter: parseFilter({ tenth: { $in: [1, 2, 3, 4] } }, []) }],
    ['scan', { filter: parseFilter({ tenth: { $in: [1, 2, 3, 4] } }, []) }],
    ['look-up', { filter: parseFilter({ tenth: { $in: [1, 2, 3, 4] } }, []) }],
  ] as const)(
    'lets nothing outside the candidates by %s score above their stopping bound',
    async (way, selection) => {
      const query = queryOf(random.words(6));
      const asked = await scored(query);
      const whole = await truth(selection, query, DOCUMENTS * CHUNKS);
      const all = new Set(placesOf(whole));
      for (const count of [5, 30, 1_000]) {
        const found = await candidates(selection, asked, {
          ...WAYS[way],
          candidates: count,
          limit: 1_000,
          candidateTerms: asked.terms.slice(0, 2),
        });
        const seen = new Set(placesOf(found.chunks));
        const outside = whole.filter((chunk) => !placesOf([chunk]).some((place) => seen.has(place)));
        expect(outside.length).toBeGreaterThan(0);
        const { stoppingBound } = evidenceOf(found, asked);
        expect(outside.filter(({ score }) => score > stoppingBound + 1e-3)).toEqual([]);
        expect([...seen].filter((place) => !all.has(place))).toEqual([]);
      }
    },
    30_000,
  );

  it('reaches no further than its last result once a scan has seen all that matches', async () => {
    const asked = await scored(queryOf(random.words(6)));
    const bounds = { limit: 10, candidates: 1_000, candidateTerms: asked.terms };
    const few = below(3); // documents, so that there are fewer than candidates
    const scanned = await candidates(few, asked, { ...bounds, ...WAYS.scan });
    expect(evidenceOf(scanned, asked).stoppingBound).toBe(scanned.chunks.at(-1)?.score);
    const all = await candidates(few, asked, { ...bounds, limit: 1_000, ...WAYS.scan });
    expect(evidenceOf(all, asked).stoppingBound).toBe(-Infinity); // nothing is outside
    const walked = evidenceOf(await candidates(few, asked, { ...bounds, ...WAYS.index }), asked);
    expect(walked.stoppingBound).toBeCloseTo(0.74, 9); // a walk that ends early may have missed the nearest
    expect([evidenceOf(scanned, asked).foundAllNear, walked.foundAllNear]).toEqual([true, false]);
    const nearest = await candidates(few, asked, { ...bounds, ...WAYS.index, candidates: 20 });
    expect(evidenceOf(nearest, asked).foundAllNear).toBe(true);
  });

  it('has the exact answer among few candidates where the last result is beyond their stopping bound', async () => {
    let whole = 0;
    for (let seed = 0; seed < 6; seed += 1) {
      const query = queryOf(new Random(500 + seed).words(2 + (seed % 3)));
      const asked = await scored(query);
      for (const limit of [5, 20, 60, 150, 300]) {
        const found = await candidates({}, asked, {
          ...WAYS.index,
          candidates: limit + 5,
          limit,
          candidateTerms: asked.terms,
        });
        const { chunks } = found;
        const { stoppingBound } = evidenceOf(found, asked);
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
