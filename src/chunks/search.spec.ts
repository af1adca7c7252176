import sql from 'sql-template-tag';
import type { DataSource } from 'typeorm';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { Random } from '../../test/support/random.js';
import { StoredDocuments } from '../../test/support/stored-documents.js';
import type { Scope } from '../auth/scope.js';
import { compileSelection, lookedUpIn, type DocumentSelection } from '../filters/document-predicate.js';
import { EVERYTHING } from '../filters/filter.js';
import { orderedPartsOf } from '../filters/sql/ordered-part.js';
import { parseFilter } from '../filters/parse/parse-filter.js';
import { ChunkRepository, type Sample } from './chunk.repository.js';
import { SAMPLED_PARTS } from './cost-model.js';
import { VectorIndex } from './vector-index.js';
import { vectorText } from './column-text.js';
import type { ScoredChunk } from './chunk.js';
import { HYBRID, scoredQuery, type ScoredQuery, type SearchQuery } from './fusion.js';
import { analyseQuery } from '../lexical/analyse.js';

/** How the nearest chunks are found; a walk takes a list of 400. */
const WAYS = {
  index: { nearestBy: 'index', efSearch: 400 },
  scan: { nearestBy: 'scan', looksUp: false },
  'look-up': { nearestBy: 'scan', looksUp: true },
} as const;
const DIMENSIONS = 24;
const DOCUMENTS = 120;
const K1 = 1.2;
const B = 0.75;

interface Stored {
  readonly id: string;
  readonly contents: readonly string[];
}

/** BM25 over the white-space separated words of some texts, as the textbook writes it, divided by the sum of idf. */
function referenceBm25(texts: readonly string[], query: readonly string[]): number[] {
  const words = texts.map((text) => text.split(' '));
  const mean = words.reduce((sum, { length }) => sum + length, 0) / words.length;
  const idf = query.map((term) => {
    const holding = words.filter((list) => list.includes(term)).length;
    return Math.log(1 + (words.length - holding + 0.5) / (holding + 0.5));
  });
  const bound = idf.reduce((sum, value) => sum + value, 0);
  return words.map((list) => {
    const parts = query.map((term, index) => {
      const tf = list.filter((word) => word === term).length;
      return ((idf[index] ?? 0) * tf) / (tf + K1 * (1 - B + (B * list.length) / mean));
    });
    return parts.reduce((sum, value) => sum + value, 0) / bound;
  });
}

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, x, index) => sum + x * (b[index] ?? 0), 0);
}

interface Plan {
  readonly 'Actual Loops': number;
  readonly 'CTE Name'?: string;
  readonly Strategy?: string;
  readonly Plans?: readonly Plan[];
}

function nodesOf(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

describe('searching chunks', () => {
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
      const id = await documents.add(acme, contents, {
        metadata: { number, tenth: number % 10 },
        folder: number % 2 === 0 ? '/even' : '/odd',
        endUserId: `user-${number % 3}`,
      });
      stored.push({ id, contents });
    }
  }, 120_000);
  afterAll(() => database.close());

  const queryOf = (text: string, weights = HYBRID): SearchQuery => ({
    vector: documents.vector(text),
    terms: analyseQuery(text),
    weights,
  });

  const scored = async (scope: Scope, query: SearchQuery): Promise<ScoredQuery> =>
    scoredQuery(query, await chunks.statistics(scope, query.terms));

  const exact = async (
    scope: Scope,
    query: SearchQuery,
    selection: DocumentSelection = {},
    limit = 10_000,
    guard = 10_000,
  ): Promise<readonly ScoredChunk[]> => {
    const compiled = compileSelection(scope, selection);
    const bounds = { limit, guard };
    return (await chunks.searchExact(scope, compiled, await scored(scope, query), bounds)).chunks;
  };

  const sampled = (scope: Scope, selection: DocumentSelection, vector: Float32Array): Promise<Sample> => {
    const parts = orderedPartsOf(selection.filter ?? EVERYTHING).slice(0, SAMPLED_PARTS);
    return chunks.sample(scope, compileSelection(scope, selection), parts, vector);
  };

  const scoresOf = (found: readonly ScoredChunk[]): Map<string, number> =>
    new Map(found.map(({ documentId, chunkNumber, score }) => [`${documentId}-${chunkNumber}`, score]));

  const allChunks = (): { key: string; content: string }[] =>
    stored.flatMap(({ id, contents }) =>
      contents.map((content, number) => ({ key: `${id}-${number}`, content })),
    );

  it.each(Array.from({ length: 8 }, (_, seed) => new Random(100 + seed).words(6)))(
    'scores "%s" as an independent BM25 does',
    async (text) => {
      const query = queryOf(text, { dense: 0, lexical: 1 });
      const scores = scoresOf(await exact(acme, query));
      const all = allChunks();
      const expected = referenceBm25(
        all.map(({ content }) => content),
        query.terms,
      );
      expect(scores.size).toBe(all.length);
      all.forEach(({ key }, index) => {
        expect(scores.get(key)).toBeCloseTo(expected[index] ?? NaN, 7);
      });
    },
  );

  it('adds both sides with their weights', async () => {
    const text = random.words(5);
    const query = queryOf(text);
    const scores = scoresOf(await exact(acme, query));
    const all = allChunks();
    const lexical = referenceBm25(
      all.map(({ content }) => content),
      query.terms,
    );
    all.forEach(({ key, content }, index) => {
      const dense = (1 + cosine(query.vector, documents.vector(content))) / 2;
      expect(scores.get(key)).toBeCloseTo(0.74 * dense + 0.26 * (lexical[index] ?? NaN), 3);
    });
  });

  it('orders by score, and equal scores by document and chunk number', async () => {
    const found = await exact(acme, queryOf(random.words(3)));
    const ordered = found.toSorted(
      (a, b) =>
        b.score - a.score ||
        (a.documentId < b.documentId ? -1 : a.documentId > b.documentId ? 1 : a.chunkNumber - b.chunkNumber),
    );
    expect(found).toEqual(ordered);
  });

  it('gives a chunk the very same score at any limit, filter, folder and end user', async () => {
    const query = queryOf(random.words(8));
    const whole = scoresOf(await exact(acme, query));
    const selections: DocumentSelection[] = [
      { filter: parseFilter({ tenth: 3 }, []) },
      { filter: parseFilter({ number: { $lt: 60 } }, []), folders: ['/even'] },
      { folders: ['/odd'], endUserId: 'user-1' },
      { documentIds: [stored[5]?.id ?? '', stored[6]?.id ?? ''] },
    ];
    for (const selection of selections) {
      for (const limit of [1, 7, 1_000]) {
        const part = scoresOf(await exact(acme, query, selection, limit));
        expect(part.size).toBeGreaterThan(0);
        for (const [key, score] of part) expect(score).toBe(whole.get(key));
      }
    }
  });

  it('gives a chunk the very same score whether its terms are probed or all postings scanned', async () => {
    const query = queryOf('w1 w2 w3 w4');
    const selection = { documentIds: stored.slice(0, 8).map(({ id }) => id) };
    const whole = scoresOf(await exact(acme, query)); // reads all postings
    const few = scoresOf(await exact(acme, query, selection, 100, 30)); // at most 30 chunks: looks postings up
    expect(few.size).toBeGreaterThan(8);
    for (const [key, score] of few) expect(score).toBe(whole.get(key));
  });

  it.each([
    ['index', 0],
    ['index', 1],
    ['index', 3],
    ['scan', 0],
    ['scan', 2],
    ['look-up', 2],
  ] as const)(
    'gives a chunk the very same score among candidates by %s, candidate terms %i',
    async (way, count) => {
      const query = queryOf(random.words(6));
      const asked = await scored(acme, query);
      const whole = scoresOf(await exact(acme, query));
      const { chunks: found } = await chunks.searchCandidates(acme, compileSelection(acme, {}), asked, {
        ...WAYS[way],
        candidates: 100,
        limit: 20,
        candidateTerms: asked.terms.slice(0, count),
      });
      expect(found).toHaveLength(20);
      for (const [key, score] of scoresOf(found)) expect(score).toBe(whole.get(key));
    },
  );

  it.each([1, 10, 50])(
    'scores by the terms left out what they could lift into the %i best',
    async (limit) => {
      const query = queryOf(random.words(6));
      const asked = await scored(acme, query);
      const whole = await exact(acme, query);
      const { chunks: found } = await chunks.searchCandidates(acme, compileSelection(acme, {}), asked, {
        ...WAYS.scan,
        candidates: 1_000,
        limit,
        candidateTerms: asked.terms.slice(0, 1),
      });
      expect(found).toEqual(whole.slice(0, limit));
    },
  );

  describe('a search whose filter PostgreSQL misjudges', () => {
    const DOCUMENTS_OF_ONE = 200;
    let brief: Scope;
    beforeAll(async () => {
      brief = await documents.tenant('brief');
      for (let number = 0; number < DOCUMENTS_OF_ONE; number++) {
        await documents.add(brief, [random.words(20)], { metadata: { number, tenth: number % 10 } });
      }
      await database.dataSource.query('analyze');
    }, 60_000);

    it.each(['exact', 'scan', 'look-up'] as const)(
      'sums the words once by %s, though PostgreSQL expects a single document',
      async (way) => {
        const misjudged = { number: { $gte: 0, $gt: -1, $lt: 1_000, $lte: 999 }, tenth: { $lt: 9, $gte: 0 } };
        const filter = parseFilter(misjudged, []) ?? EVERYTHING;
        const [part] = orderedPartsOf(filter);
        if (part === undefined) throw new Error('no part');
        const selected = lookedUpIn(brief, compileSelection(brief, { filter }), part);
        const query = queryOf('w1 w2 w3');
        const asked = await scored(brief, query);
        const plans: Plan[] = [];
        const explaining = new ChunkRepository(
          Object.assign(Object.create(database.dataSource) as DataSource, {
            query: async (text: string, values: unknown[]): Promise<unknown> => {
              const explain = `explain (analyze, format json) ${text}`;
              const [row]: { 'QUERY PLAN': { Plan: Plan }[] }[] = await database.dataSource.query(
                explain,
                values,
              );
              plans.push(...(row?.['QUERY PLAN'].map(({ Plan: plan }) => plan) ?? []));
              return database.dataSource.query(text, values);
            },
          }),
        );
        const bounds = { limit: 10, candidates: 100, candidateTerms: asked.terms };
        const { chunks: found } =
          way === 'exact'
            ? await explaining.searchExact(brief, selected, asked, { ...bounds, guard: 10_000 })
            : await explaining.searchCandidates(brief, selected, asked, {
                ...bounds,
                ...WAYS[way],
              });
        expect(found).toEqual(await exact(brief, query, { filter }, 10));
        const nodes = plans.flatMap(nodesOf);
        const sums = nodes.filter((node) => node.Strategy === 'Hashed' || node['CTE Name'] === 'lexical');
        expect(sums.map((node) => node['Actual Loops'])).toEqual(sums.map(() => 1));
        expect(sums.length).toBeGreaterThan(0);
      },
    );
  });

  it('orders by what the index of this database holds', async () => {
    const { vector } = queryOf('w1');
    const index = VectorIndex.of(database.dataSource, vector.length);
    const { text, values } =
      sql`explain select c.chunk_id from chunks c order by ${index.order(vectorText(vector))} limit 5`;
    const plan = await database.dataSource.transaction(async (manager) => {
      await manager.query('set local enable_sort = off'); // so few chunks are sorted sooner than walked along
      return manager.query<Record<string, string>[]>(text, values);
    });
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toContain(
      `Index Scan using ${index.name} on chunks`,
    );
  });

  it('walks along the index with a list of the length asked for, and leaves the setting as it was', async () => {
    const query = queryOf(random.words(6));
    const asked = await scored(acme, query);
    const setting = async (): Promise<unknown> =>
      database.dataSource.query("select current_setting('hnsw.ef_search', true) as value");
    const before = await setting();
    await chunks.searchCandidates(acme, compileSelection(acme, {}), asked, {
      ...WAYS.index,
      candidates: 100,
      limit: 5,
      candidateTerms: [],
    });
    await sampled(acme, {}, query.vector);
    expect(await setting()).toEqual(before);
  });

  it('estimates what a selection takes, over all and near the query', async () => {
    const { vector } = queryOf(random.words(6));
    const share = async (selection: DocumentSelection): Promise<number> =>
      (await sampled(acme, selection, vector)).share;
    const total = allChunks().length;
    const tenth = { filter: parseFilter({ tenth: 3 }, []) };
    const matching = (await exact(acme, queryOf('w1'), tenth)).length;
    expect(await share({})).toBe(1);
    expect(await share(tenth)).toBeCloseTo(matching / total, 9); // the sample takes in all of so few
    expect(await share({ folders: [] })).toBe(0);

    const whole = await exact(acme, { vector, terms: [], weights: HYBRID });
    const { near, nearMatching } = await sampled(acme, tenth, vector);
    const neighbours = whole.slice(0, near).filter(({ documentMetadata }) => documentMetadata['tenth'] === 3);
    expect(near).toBe(100);
    expect(Math.abs(nearMatching - neighbours.length)).toBeLessThanOrEqual(5); // the index is not exact
  });

  it('estimates what the ranges of a filter take', async () => {
    const { vector } = queryOf('w1');
    const partsOf = async (filter: object) => {
      const { parts } = await sampled(acme, { filter: parseFilter(filter, []) }, vector);
      return parts.map(({ part, share }) => ['field' in part ? part.field.name : part.kind, share]);
    };
    const total = allChunks().length;
    const shareOf = async (filter: object) =>
      (await exact(acme, queryOf('w1'), { filter: parseFilter(filter, []) })).length / total;
    const below = { number: { $lt: 40 } };
    const above = { tenth: { $gte: 7 } };
    expect(await partsOf({ tenth: { $ne: 3 } })).toEqual([]);
    expect(await partsOf({ ...below, tenth: { $ne: 3 } })).toEqual([['number', await shareOf(below)]]);
    expect(await partsOf({ $and: [{ tenth: { $in: [1, 8] } }, below, above] })).toEqual([
      ['number', await shareOf(below)],
      ['tenth', await shareOf(above)],
    ]);
    const either = { $or: [{ tenth: { $in: [1, 8] } }, { ...below, tenth: { $ne: 2 } }] };
    const eitherInOrder = { $or: [{ tenth: { $in: [1, 8] } }, below] };
    expect(await partsOf(either)).toEqual([['alternatives', await shareOf(eitherInOrder)]]);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`k${index}`, { $gt: 1 }]));
    expect(await partsOf(many)).toHaveLength(8);
  });

  it('draws a fair sample of documents whose ids tell their time', async () => {
    const scope = await documents.tenant('by time');
    await database.dataSource.query(
      `insert into documents (app_id, external_id, status, content_type, chunk_count, metadata)
       select $1, (lpad(to_hex(n), 12, '0') || '-7000-8000-000000000000')::uuid, 'completed', 'text/plain', 1,
         jsonb_build_object('n', n)
       from generate_series(1, 2000) n`,
      [scope.appId],
    );
    const { vector } = queryOf('w1');
    const early = await sampled(scope, { filter: parseFilter({ n: { $lte: 1_000 } }, []) }, vector);
    expect(early.share).toBeGreaterThan(0.4);
    expect(early.share).toBeLessThan(0.6);
  });

  it.each([1, 4, 25, 10_000])('returns min(%i, matching) chunks at every selectivity', async (limit) => {
    const query = queryOf(random.words(4));
    for (const below of [0, 1, 12, 60, DOCUMENTS]) {
      const matching = stored.slice(0, below).reduce((sum, { contents }) => sum + contents.length, 0);
      const selection = { filter: parseFilter({ number: { $lt: below } }, []) };
      const found = await exact(acme, query, selection, limit);
      expect(found).toHaveLength(Math.min(limit, matching));
    }
  });

  it('counts the matching chunks and scores none when there are more than the guard allows', async () => {
    const query = queryOf(random.words(4));
    const asked = await scored(acme, query);
    const total = allChunks().length;
    const bounds = { limit: 5, guard: total - 1 };
    const over = await chunks.searchExact(acme, compileSelection(acme, {}), asked, bounds);
    expect(over).toEqual({ chunks: [], matching: total });
    const within = await chunks.searchExact(acme, compileSelection(acme, {}), asked, {
      ...bounds,
      guard: total,
    });
    expect(within.matching).toBe(total);
    expect(within.chunks).toHaveLength(5);
  });

  it('looks at completed documents only', async () => {
    const id = await documents.add(acme, ['zanzibar'], { status: 'processing' });
    expect(scoresOf(await exact(acme, queryOf('zanzibar'))).has(`${id}-0`)).toBe(false);
    await documents.remove(acme, id);
  });

  it('never shows one tenant what another one has, nor lets its words count', async () => {
    const query = queryOf('w1 w2 zebra');
    const before = await exact(acme, query);
    const globex = await documents.tenant('globex');
    const id = await documents.add(globex, ['zebra zebra w1', 'w2 zebra'], { metadata: { tenth: 1 } });
    expect(await exact(acme, query)).toEqual(before);
    const theirs = await exact(globex, query);
    expect(theirs.map(({ documentId }) => documentId)).toEqual([id, id]);
    const statistics = await chunks.statistics(globex, ['zebra', 'w3']);
    const asked = scoredQuery(query, statistics);
    expect(statistics.corpus).toEqual({ chunkCount: 2, totalLength: 5 });
    expect(statistics.terms.map(({ chunkCount }) => chunkCount)).toEqual([2, 0]);
    for (const way of Object.values(WAYS)) {
      const bounds = { ...way, candidates: 100, limit: 50, candidateTerms: asked.terms.slice(0, 1) };
      const { chunks: found } = await chunks.searchCandidates(
        globex,
        compileSelection(globex, {}),
        asked,
        bounds,
      );
      expect(found.map(({ documentId }) => documentId)).toEqual([id, id]);
    }
    expect((await sampled(globex, {}, query.vector)).nearMatching).toBeLessThanOrEqual(2);
  });

  it.each([
    ['図書館は何時に閉まりますか', '市立図書館は午後八時に閉まります。', '電車は十時に出発します。'],
    ['세탁기 보증 기간', '세탁기의 보증은 삼 년입니다.', '기차는 열 시에 떠납니다.'],
    ['ห้องสมุด', 'ห้องสมุดปิดเวลาสองทุ่ม', 'รถไฟออกเวลาสิบโมง'],
  ])('finds %s by its words', async (question, right, wrong) => {
    const scope = await documents.tenant(question);
    await documents.add(scope, [wrong, right]);
    const [first] = await exact(scope, queryOf(question, { dense: 0, lexical: 1 }));
    expect(first?.content).toBe(right);
    expect(first?.score).toBeGreaterThan(0);
  });

  it('scores a query without words by its vector alone', async () => {
    const query: SearchQuery = { vector: documents.vector('w1'), terms: [], weights: HYBRID };
    const [first] = await exact(acme, query, {}, 1);
    const nearest = Math.max(
      ...allChunks().map(({ content }) => (1 + cosine(query.vector, documents.vector(content))) / 2),
    );
    expect(first?.score).toBeCloseTo(nearest, 3);
  });
});
