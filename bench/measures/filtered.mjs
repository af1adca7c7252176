import { withCorpus } from '../corpus-service.mjs';
import { openRepository } from '../exact-search.mjs';
import { percentile } from '../report.mjs';
import { randomSource } from '../random-source.mjs';
import { question } from '../synthetic-corpus.mjs';
import { DIMENSIONS } from '../topic-embeddings.mjs';

const DOCUMENTS = Number(process.env.BENCH_CHUNKS ?? 100_000);
/** Number of queries. With too few queries the p95 would be the second largest value. */
const QUERIES = Number(process.env.BENCH_QUERIES ?? 60);
const KS = [4, 10, 100];
/** Matching documents per 10,000. */
const SHARES = [5_000, 1_000, 100, 10, 1];

const topics = (count) => Array.from({ length: count }, (_, topic) => topic);
const inTopics = (count) => `(d.metadata->>'topic')::integer < ${count}`;
const SEL = `(d.metadata->>'sel')::integer`;

/** Filters, each with the equivalent SQL condition. */
const FILTERS = [
  { name: 'none', filter: null, condition: 'true' },
  ...SHARES.map((share) => ({
    name: `${share / 100}% random`,
    filter: { [`share_${share}`]: true },
    condition: `d.metadata @> '{"share_${share}": true}'`,
  })),
  ...[5_000, 1_000, 100].map((share) => ({
    name: `${share / 100}% range`,
    filter: { sel: { $lt: share } },
    condition: `${SEL} < ${share}`,
  })),
  ...[100, 20, 2].map((count) => ({
    name: `${count / 2}% clustered`,
    filter: { topic: { $in: topics(count) } },
    condition: inTopics(count),
  })),
];

/** Combined conditions, whose selectivity PostgreSQL estimates poorly. Measured for one k only. */
const COMBINED = [
  {
    name: '6% range and list',
    filter: { sel: { $gte: 1_000, $lt: 4_000 }, topic: { $in: topics(40) } },
    condition: `${SEL} >= 1000 and ${SEL} < 4000 and ${inTopics(40)}`,
  },
  {
    name: '10% list and a range of all',
    filter: { topic: { $in: topics(40) }, share_5000: true, number: { $gte: 0 } },
    condition: `${inTopics(40)} and d.metadata @> '{"share_5000": true}'`,
  },
  {
    name: '10% range or list',
    filter: { $or: [{ sel: { $lt: 500 } }, { topic: { $in: topics(10) } }] },
    condition: `(${SEL} < 500 or ${inTopics(10)})`,
  },
  {
    name: '1% range and file name',
    filter: { topic: { $lt: 20 }, filename: { $regex: '^doc-1' } },
    condition: `${inTopics(20)} and d.filename ~ '^doc-1'`,
  },
];
const COMBINED_K = 10;

const CELLS = [
  ...FILTERS.flatMap((each) => KS.map((k) => ({ ...each, k }))),
  ...COMBINED.map((each) => ({ ...each, k: COMBINED_K, isCombined: true })),
];

/** Compares filtered search over HTTP with exact search, and with a plain HNSW scan with a WHERE clause. */
export const filtered = {
  name: 'filtered',
  about: 'result counts, recall and latency at every selectivity',

  run(options) {
    return withCorpus(options, DOCUMENTS, SHARES, async ({ service, home, client: plain, embeddings }) => {
      const exact = await openRepository(home.databaseUrl, embeddings.url);
      const rows = [];
      // Durations of unfiltered searches by k, in milliseconds. These searches run between the filtered ones.
      const baselines = new Map();
      for (const cell of CELLS) {
        const { name, k } = cell;
        options.say(`${name}, k ${k}`);
        const { row, unfiltered } = await measure({ service, exact, plain, cell });
        rows.push([name, k, ...row]);
        baselines.set(k, [...(baselines.get(k) ?? []), ...unfiltered]);
      }
      await exact.close();
      return {
        sizes: { chunks: DOCUMENTS, queries: QUERIES },
        columns: [
          'filter',
          'k',
          'matching',
          'results',
          'expected',
          'recall',
          'p50 ms',
          'p95 ms',
          'exact p50 ms',
          'plain HNSW results',
        ],
        rows,
        ratios: worst(rows, baselines),
      };
    });
  },
};

async function measure({ service, exact, plain, cell: { filter, condition, k } }) {
  const random = randomSource(k);
  const times = [];
  const unfiltered = [];
  const exactTimes = [];
  let found = 0;
  let relevant = 0;
  let results = 0;
  let plainResults = 0;
  let matching = 0;
  await service.call('/retrieve/chunks', { query: question(random), k, filters: filter });
  for (let number = 0; number < QUERIES; number += 1) {
    const query = question(random);
    await service.call('/retrieve/chunks', { query, k: 1 }); // caches the query vector
    const timed = async (filters, into) => {
      const begun = performance.now();
      const answer = await service.call('/retrieve/chunks', { query, k, filters });
      into.push(performance.now() - begun);
      return answer;
    };
    // Alternates the order, because the second search benefits from cached pages.
    if (number % 2 === 0) await timed(null, unfiltered);
    const answer = await timed(filter, times);
    if (number % 2 === 1) await timed(null, unfiltered);
    const truth = await exact.search(query, filter, k);
    exactTimes.push(truth.milliseconds);
    matching = truth.matching;
    const ids = new Set(answer.map(({ document_id }) => document_id));
    found += truth.ids.filter((id) => ids.has(id)).length;
    relevant += truth.ids.length;
    results += answer.length;
    plainResults += await plainSearch(plain, truth.vector, condition, k);
  }
  const row = [
    matching,
    results / QUERIES,
    Math.min(k, matching),
    relevant === 0 ? 1 : found / relevant,
    percentile(times, 50),
    percentile(times, 95),
    percentile(exactTimes, 50),
    plainResults / QUERIES,
  ];
  return { row, unfiltered };
}

/** Searches with plain HNSW and a WHERE clause, with ef_search 40 and without an iterative scan. */
async function plainSearch(client, vector, condition, k) {
  await client.query(`set hnsw.iterative_scan = off`);
  const { rows } = await client.query(
    `select c.document_id from chunks c join documents d on d.external_id = c.document_id and d.app_id = c.app_id
     where c.app_id = 'default' and ${condition} order by c.embedding::halfvec(${DIMENSIONS}) <=> $1 limit $2`,
    [vector, k],
  );
  return rows.length;
}

function worst(rows, baselines) {
  const short = rows.filter(([, , , results, expected]) => Math.abs(results - expected) > 1e-9);
  const recalls = rows.filter(([, k]) => k === 10).map((row) => row[5]);
  const slow = [...KS.map((k) => ({ k, isCombined: false })), { k: COMBINED_K, isCombined: true }].map(
    ({ k, isCombined }) => {
      const of = rows.filter(
        (row, index) => row[1] === k && (CELLS[index].isCombined ?? false) === isCombined,
      );
      const base = percentile(baselines.get(k), 95);
      const [name, , , , , , , p95] = of.reduce((most, row) => (row[7] > most[7] ? row : most));
      return `k ${k}${isCombined ? ', combined filters' : ''}: the slowest p95 (${name}) is ${(p95 / base).toFixed(2)} times the unfiltered p95 (${base.toFixed(1)} ms, ${baselines.get(k).length} interleaved searches).`;
    },
  );
  return [
    `Counts differ from min(k, matching) in ${short.length} of ${rows.length} cells.`,
    `Lowest recall@10: ${Math.min(...recalls).toFixed(3)}.`,
    ...slow,
  ];
}
