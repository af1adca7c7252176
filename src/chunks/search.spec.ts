import sql from 'sql-template-tag';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Random } from '../../test/support/random.js';
import { StoredDocuments } from '../../test/support/stored-documents.js';
import type { Scope } from '../auth/scope.js';
import { compileSelection, foundWithin, type DocumentSelection } from '../filters/document-predicate.js';
import { EVERYTHING } from '../filters/filter.js';
import { isInRange, rangesOf } from '../filters/sql/ordered-range.js';
import { parseFilter } from '../filters/parse/parse-filter.js';
import { analyseQuery } from '../lexical/analyse.js';
import { keysOf, LEVELS, termNumber } from '../lexical/inverted-index.js';
import type { ScoredChunk } from './chunk.js';
import { ChunkRepository, type Statistics } from './chunk.repository.js';
import { vectorText, VectorIndex } from './vectors/vector-column.js';
import { queryTermsOf, questionWords } from './bm25.js';
import { type FullScanStrategy, lexicalCandidates } from './search-strategy.js';
import { DENSE_ONLY, hybridWeights, type FusionWeights, type ScoredQuery } from './hybrid-score.js';

const DIMENSIONS = 24;
const DOCUMENTS = 120;
const ALL = 10_000;
const HNSW = { candidates: 100, maxVisits: 20_000, isUnfiltered: false, countsNearest: true };
const HYBRID = hybridWeights(0);
const WORDS_ALONE: FusionWeights = { dense: 0, lexical: 1 };

interface Stored {
  readonly id: string;
  readonly isShared: boolean;
  readonly contents: readonly string[];
}

/**
 * Textbook BM25 over white-space separated words, divided by the sum of idf.
 * @param counted the texts from which the idf is computed
 */
function referenceBm25(
  texts: readonly string[],
  query: readonly string[],
  counted: readonly string[],
): number[] {
  const words = texts.map((text) => text.split(' '));
  const idf = query.map((term) => {
    const frequencies = counted.filter((text) => text.split(' ').includes(term)).length;
    return Math.log(1 + (counted.length - frequencies + 0.5) / (frequencies + 0.5));
  });
  const bound = idf.reduce((sum, value) => sum + value, 0);
  return words.map((list) => {
    const parts = query.map((term, index) => {
      const tf = list.filter((word) => word === term).length;
      return ((idf[index] ?? 0) * tf) / (tf + 1.2 * (0.25 + (0.75 * list.length) / 128));
    });
    return parts.reduce((sum, value) => sum + value, 0) / bound;
  });
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, index) => sum + x * (b[index] ?? 0), 0);
}

describe('ChunkRepository', () => {
  let database: TestDatabase;
  let documents: StoredDocuments;
  let chunks: ChunkRepository;
  let acme: Scope;
  const stored: Stored[] = [];
  const random = new Random(7);

  beforeAll(async () => {
    database = await openTestDatabase();
    documents = new StoredDocuments(database.dataSource, DIMENSIONS);
    await documents.makeVectorIndex();
    chunks = new ChunkRepository(database.dataSource);
    acme = await documents.tenant('acme');
    for (let number = 0; number < DOCUMENTS; number++) {
      const contents = Array.from({ length: 1 + random.below(4) }, () => random.words(5 + random.below(40)));
      const isShared = number % 3 === 0;
      const id = await documents.add(acme, contents, {
        metadata: { number, tenth: number % 10 },
        folder: number % 2 === 0 ? '/even' : '/odd',
        ...(!isShared && { endUserId: `user-${number % 3}` }),
      });
      stored.push({ id, isShared, contents });
    }
  }, 120_000);
  afterAll(() => database.close());

  const statistics = (
    scope: Scope,
    terms: readonly string[],
    selection: DocumentSelection | null = null,
  ): Promise<Statistics> =>
    chunks.statistics(
      scope,
      keysOf(scope.appId, terms.map(termNumber)),
      selection === null
        ? null
        : {
            selection: compileSelection(scope, selection),
            ranges: rangesOf(selection.filter ?? EVERYTHING).map(isInRange),
          },
    );

  async function queryOf(scope: Scope, text: string, weights = HYBRID): Promise<ScoredQuery> {
    const terms = analyseQuery(text);
    const counted = await statistics(scope, terms);
    const asked = queryTermsOf(terms.map(termNumber), counted, []);
    const words = questionWords(scope.appId, asked, counted.sharedCount, lexicalCandidates(weights));
    return { vector: documents.vector(text), cosineFloor: -1, words, weights };
  }

  async function scanned(
    scope: Scope,
    query: ScoredQuery,
    selection: DocumentSelection = {},
    { limit = ALL, lookups = 'serial' }: { limit?: number; lookups?: FullScanStrategy['lookups'] } = {},
  ): Promise<readonly ScoredChunk[]> {
    const input = { query, selection: compileSelection(scope, selection), limit, lookups };
    return (await chunks.fullScan(scope, input)).chunks;
  }

  const scoresOf = (found: readonly ScoredChunk[]): Map<string, number> =>
    new Map(found.map((chunk) => [`${chunk.document_id}-${chunk.chunk_number}`, chunk.score]));

  const allChunks = (): { key: string; content: string }[] =>
    stored.flatMap(({ id, contents }) =>
      contents.map((content, number) => ({ key: `${id}-${number}`, content })),
    );

  it.each(Array.from({ length: 8 }, (_, seed) => new Random(100 + seed).words(6)))(
    'scores "%s" like an independent BM25',
    async (text) => {
      const scores = scoresOf(await scanned(acme, await queryOf(acme, text, WORDS_ALONE)));
      const all = allChunks();
      const expected = referenceBm25(
        all.map(({ content }) => content),
        analyseQuery(text),
        stored.filter(({ isShared }) => isShared).flatMap(({ contents }) => contents),
      );
      expect(scores.size).toBe(all.length);
      all.forEach(({ key }, index) => {
        expect(Math.abs((scores.get(key) ?? NaN) - (expected[index] ?? NaN))).toBeLessThan(1e-4); // impacts have four digits
      });
    },
  );

  it('sums both score components with their weights', async () => {
    const query = await queryOf(acme, random.words(5), { dense: 0.4, lexical: 0.6 });
    const found = await scanned(acme, query);
    for (const { content, score, score_parts: parts } of found) {
      const dense = (1 + cosine(query.vector, documents.vector(content))) / 2;
      expect(parts.dense).toBeCloseTo(dense, 3);
      expect(parts.weights).toEqual({ dense: 0.4, lexical: 0.6 });
      expect(score).toBeCloseTo(0.4 * parts.dense + 0.6 * parts.lexical, 9);
    }
    expect(found.some(({ score_parts: parts }) => parts.lexical > 0)).toBe(true);
  });

  it('rescales cosines from the cosine floor of the embedding model', async () => {
    const query = { ...(await queryOf(acme, random.words(5), DENSE_ONLY)), cosineFloor: 0.2 };
    for (const { content, score } of await scanned(acme, query)) {
      const similarity = (cosine(query.vector, documents.vector(content)) - 0.2) / 0.8;
      expect(score).toBeCloseTo(Math.max(0, similarity), 3);
    }
  });

  it('orders by score, then by document and chunk number', async () => {
    const found = await scanned(acme, await queryOf(acme, random.words(3)));
    const ordered = found.toSorted(
      (a, b) =>
        b.score - a.score ||
        (a.document_id < b.document_id
          ? -1
          : a.document_id > b.document_id
            ? 1
            : a.chunk_number - b.chunk_number),
    );
    expect(found).toEqual(ordered);
  });

  it('scores a chunk equally for each limit, filter, folder, end user and strategy', async () => {
    const query = await queryOf(acme, random.words(8));
    const whole = scoresOf(await scanned(acme, query));
    const selections: DocumentSelection[] = [
      {},
      { filter: parseFilter({ tenth: 3 }, []) },
      { filter: parseFilter({ number: { $lt: 60 } }, []), folders: ['/even'] },
      { folders: ['/odd'], endUserId: 'user-1' },
      { documentIds: [stored[5]?.id ?? '', stored[6]?.id ?? ''] },
    ];
    for (const selection of selections) {
      const compiled = compileSelection(acme, selection);
      for (const limit of [1, 7, 1_000]) {
        for (const found of [
          await scanned(acme, query, selection, { limit }),
          await scanned(acme, query, selection, { limit, lookups: 'none' }),
          (await chunks.hnswSearch(acme, { query, ...HNSW, selection: compiled, limit })).chunks,
        ]) {
          expect(found.length).toBeGreaterThan(0);
          for (const [key, score] of scoresOf(found)) expect(score).toBe(whole.get(key));
        }
      }
    }
  });

  it('finds the exact best chunks by HNSW search if they are among the candidates', async () => {
    for (const limit of [1, 5, 20]) {
      const query = await queryOf(acme, random.words(4));
      const found = await chunks.hnswSearch(acme, {
        query,
        candidates: 200,
        maxVisits: 20_000,
        selection: compileSelection(acme, {}),
        isUnfiltered: true,
        countsNearest: false,
        limit,
      });
      expect(found.chunks).toEqual(await scanned(acme, query, {}, { limit }));
      expect(found.farthest).toBeGreaterThan(0);
    }
  });

  it('reports an HNSW search that found too few candidates, without duplicates', async () => {
    const selection = compileSelection(acme, { filter: parseFilter({ number: { $lt: 4 } }, []) });
    const query = await queryOf(acme, random.words(4));
    const { chunks: found, farthest } = await chunks.hnswSearch(acme, {
      query,
      ...HNSW,
      selection,
      limit: 50,
    });
    expect(farthest).toBeNull();
    expect(scoresOf(found).size).toBe(found.length);
    expect(found.length).toBeGreaterThan(0);
  });

  it('finds a chunk through the inverted index alone', async () => {
    const id = await documents.add(acme, [`${random.words(40)} zanzibar`]);
    const query = await queryOf(acme, 'zanzibar');
    const opposite = { ...query, vector: query.vector.map((x) => -x), weights: WORDS_ALONE };
    const selection = compileSelection(acme, {});
    const bounds = {
      query: opposite,
      candidates: 2,
      maxVisits: 1_000,
      isUnfiltered: true,
      countsNearest: false,
      selection,
      limit: 2,
    };
    const { chunks: found } = await chunks.hnswSearch(acme, bounds);
    expect(found[0]?.document_id).toBe(id);
    await documents.remove(acme, id);
  });

  it('orders by the expression of the vector index', async () => {
    const index = VectorIndex.of(database.dataSource, DIMENSIONS);
    const asked = sql`${vectorText(documents.vector('w1'))}::halfvec(24)`;
    const { text, values } =
      sql`explain select c.chunk_number from chunks c order by ${index.order(asked)} limit 5`;
    const plan = await database.dataSource.transaction(async (manager) => {
      await manager.query('set local enable_sort = off'); // sorting so few chunks would be cheaper
      return manager.query<Record<string, string>[]>(text, values);
    });
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain(
      `Index Scan using ${index.name} on chunks`,
    );
  });

  it('sets HNSW parameters for one statement only', async () => {
    const settings = (): Promise<unknown> =>
      database.dataSource.query(
        `select current_setting('hnsw.ef_search', true) as list, current_setting('hnsw.max_scan_tuples', true) as steps`,
      );
    const before = await settings();
    const query = await queryOf(acme, 'w1');
    await chunks.hnswSearch(acme, {
      query,
      candidates: 77,
      maxVisits: 3_333,
      isUnfiltered: true,
      countsNearest: false,
      selection: compileSelection(acme, {}),
      limit: 5,
    });
    expect(await settings()).toEqual(before);
  });

  it('estimates the selectivity of a filter and of each of its ranges', async () => {
    const total = allChunks().length;
    const shareOf = async (filter: object): Promise<number> =>
      (await scanned(acme, await queryOf(acme, 'w1'), { filter: parseFilter(filter, []) })).length / total;
    const sharesOf = async (selection: DocumentSelection) => (await statistics(acme, [], selection)).shares;
    expect(await sharesOf({})).toEqual([1]);
    expect(await sharesOf({ folders: [] })).toEqual([0]);
    expect(await sharesOf({ filter: parseFilter({ tenth: 3 }, []) })).toEqual([await shareOf({ tenth: 3 })]);
    const both = { number: { $lt: 40 }, tenth: { $gte: 7 } };
    expect(await sharesOf({ filter: parseFilter(both, []) })).toEqual([
      await shareOf(both),
      await shareOf({ number: { $lt: 40 } }),
      await shareOf({ tenth: { $gte: 7 } }),
    ]);
    expect((await statistics(acme, ['w1'])).shares).toEqual([]);
  });

  it('draws an unbiased sample although document ids begin with the time', async () => {
    const scope = await documents.tenant('by time');
    await database.dataSource.query(
      `insert into documents (app_id, external_id, status, content_type, chunk_count, metadata)
       select $1, (lpad(to_hex(n), 12, '0') || '-7000-8000-000000000000')::uuid, 'completed', 'text/plain', 1,
         jsonb_build_object('n', n)
       from generate_series(1, 2000) n`,
      [scope.appId],
    );
    const early = await statistics(scope, [], { filter: parseFilter({ n: { $lte: 1_000 } }, []) });
    expect(early.shares[0]).toBeGreaterThan(0.4);
    expect(early.shares[0]).toBeLessThan(0.6);
  });

  it.each([1, 4, 25, ALL])(
    'returns min(%i, matching) chunks from a full scan at each selectivity, and counts all',
    async (limit) => {
      const query = await queryOf(acme, random.words(4));
      for (const below of [0, 1, 12, 60, DOCUMENTS]) {
        const filter = parseFilter({ number: { $lt: below } }, []) ?? EVERYTHING;
        const compiled = compileSelection(acme, { filter });
        const matching = stored.slice(0, below).reduce((sum, { contents }) => sum + contents.length, 0);
        for (const selection of [
          compiled,
          ...rangesOf(filter).map((range) => foundWithin(acme, compiled, range)),
        ]) {
          for (const lookups of ['serial', 'parallel', 'none'] as const) {
            const found = await chunks.fullScan(acme, { query, selection, limit, lookups });
            expect(found.chunks).toHaveLength(Math.min(limit, matching));
            expect(found.matching).toBe(matching);
          }
        }
      }
    },
  );

  it('searches completed documents only', async () => {
    const id = await documents.add(acme, ['zanzibar'], { status: 'processing' });
    const query = await queryOf(acme, 'zanzibar');
    const selection = compileSelection(acme, {});
    const bounds = { ...HNSW, query, selection, limit: 100 };
    const filtered = await chunks.hnswSearch(acme, bounds);
    const unfiltered = await chunks.hnswSearch(acme, { ...bounds, isUnfiltered: true, countsNearest: false });
    for (const found of [await scanned(acme, query), filtered.chunks, unfiltered.chunks]) {
      expect(found.length).toBeGreaterThan(0);
      expect(scoresOf(found).has(`${id}-0`)).toBe(false);
    }
    await documents.remove(acme, id);
  });

  it('isolates tenants in results and in document frequencies', async () => {
    const query = await queryOf(acme, 'w1 w2 zebra');
    const before = await scanned(acme, query);
    const globex = await documents.tenant('globex');
    const id = await documents.add(globex, ['zebra zebra w1', 'w2 zebra'], { metadata: { tenth: 1 } });
    expect(await scanned(acme, await queryOf(acme, 'w1 w2 zebra'))).toEqual(before);
    const theirs = await queryOf(globex, 'w1 w2 zebra');
    const selection = compileSelection(globex, {});
    const { chunks: hnsw } = await chunks.hnswSearch(globex, {
      ...HNSW,
      query: theirs,
      selection,
      limit: 50,
    });
    for (const found of [await scanned(globex, theirs), hnsw]) {
      expect(found.map((chunk) => chunk.document_id)).toEqual([id, id]);
    }
    const { chunkCount, frequencies } = await statistics(globex, ['zebra', 'w3']);
    expect(chunkCount).toBe(2);
    expect(frequencies.slice(0, LEVELS).reduce((sum, count) => sum + count, 0)).toBe(2);
    expect(frequencies.slice(LEVELS)).toEqual([0, 0, 0, 0]);
  });

  it.each([
    ['図書館は何時に閉まりますか', '市立図書館は午後八時に閉まります。', '電車は十時に出発します。'],
    ['세탁기 보증 기간', '세탁기의 보증은 삼 년입니다.', '기차는 열 시에 떠납니다.'],
    ['ห้องสมุด', 'ห้องสมุดปิดเวลาสองทุ่ม', 'รถไฟออกเวลาสิบโมง'],
  ])('finds %s by its words', async (question, right, wrong) => {
    const scope = await documents.tenant(question);
    await documents.add(scope, [wrong, right]);
    const [first] = await scanned(scope, await queryOf(scope, question, WORDS_ALONE));
    expect(first?.content).toBe(right);
    expect(first?.score).toBeGreaterThan(0);
  });
});
