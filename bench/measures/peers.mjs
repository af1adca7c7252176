import pg from 'pg';
import { ndcg } from '../../dist/cli/evaluation.js';
import { parentOf, processorSeconds, processTree } from '../processor-time.mjs';
import { NO_PASSAGES, newQuestions, readPassages, SHARES } from '../passages.mjs';
import { startPassageEmbeddings } from '../passage-embeddings.mjs';
import { percentile } from '../report.mjs';
import { lectern } from '../peers/lectern.mjs';
import { pgvectorIndex, pgvectorScan } from '../peers/pgvector.mjs';
import { chroma, lanceDb, qdrant } from '../peers/python-servers.mjs';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3);
const CLIENTS = 16;
const K = 10;
/** Duration of the warm-up of each side, for JIT compilers and connections, and of the warm-up of each cell. */
const WARM_UP_SECONDS = 20;
const CELL_WARM_UP_SECONDS = 2;

/** The filters, each named by its boolean field; null: no filter. */
const FILTERS = [null, ...Object.keys(SHARES)];

/** Path of the dist/main.js of another build, which is then measured as a further side. */
const OTHER = process.env.BENCH_OTHER;
/** Number of services over one database. If it is not 1, the services together are measured as a further side. */
const PROCESSES = Number(process.env.BENCH_PROCESSES ?? 1);
/** Names of the sides to measure, separated by semicolons. If unset, all sides are measured. */
const ONLY = process.env.BENCH_SIDES?.split(';');
/** Path of a Python that has bench/peers/requirements.txt installed. */
const PYTHON = process.env.BENCH_PYTHON;

/** Compares throughput, CPU time, disk usage and quality with other services, on the same passages and vectors. */
export const peers = {
  name: 'peers',
  about: `searches of ${CLIENTS} clients, compared with bare pgvector; with BENCH_PYTHON also with Qdrant, Chroma and LanceDB; with BENCH_OTHER also with another build`,

  async run({ databaseUrl, say }) {
    if (databaseUrl === undefined) return { skipped: 'it needs DATABASE_URL' };
    const corpus = await readPassages(say);
    if (corpus === undefined) return { skipped: NO_PASSAGES };
    const sides = [
      ...builds('Lectern'),
      ...(PROCESSES === 1 ? [] : [severalProcesses()]),
      ...(OTHER === undefined ? [] : builds('other build', OTHER)),
      pgvectorIndex,
      pgvectorScan,
      ...(PYTHON === undefined ? [] : [qdrant(PYTHON), chroma(PYTHON), lanceDb(PYTHON)]),
    ].filter(({ name }) => ONLY === undefined || ONLY.includes(name));
    const embeddings = await startPassageEmbeddings();
    const started = [];
    try {
      for (const { name, start } of sides) {
        say(`${name}: ${corpus.passages.length} passages`);
        started.push({
          name,
          ...(await start(corpus, { databaseUrl, embeddingsUrl: embeddings.url, started })),
        });
      }
      return await compare(started, corpus, { postmaster: await postmasterOf(databaseUrl), say });
    } finally {
      for (const side of started.toReversed()) await side.close();
      await embeddings.close();
    }
  },
};

/** Two sides of one build of the service: with hybrid search, and with vectors alone. */
function builds(name, main) {
  return [
    lectern(name, { main }),
    lectern(`${name}, RETRIEVAL=dense`, { main, of: name, settings: { RETRIEVAL: 'dense' } }),
  ];
}

function severalProcesses() {
  return lectern(`Lectern, ${PROCESSES} processes`, { of: 'Lectern', processes: PROCESSES });
}

async function compare(sides, corpus, { postmaster, say }) {
  for (const side of sides) {
    say(`warming up: ${side.name}`);
    await asked(side, newQuestions(corpus, 0), null, WARM_UP_SECONDS);
  }
  const cells = new Map(sides.map(({ name }) => [name, FILTERS.map(() => [])]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, filter] of FILTERS.entries()) {
      for (const side of sides) {
        say(`round ${round + 1}: ${side.name}, ${filter ?? 'no filter'}`);
        const ask = newQuestions(corpus, 1 + round * FILTERS.length + at);
        cells.get(side.name)[at].push(await load(side, ask, filter, postmaster));
      }
    }
  }
  const rows = [];
  for (const side of sides) {
    const ofSide = cells.get(side.name);
    const one = await alone(side, newQuestions(corpus, 1_000));
    rows.push([
      side.name,
      ...ofSide.map(shown),
      median(ofSide[0].map(({ service }) => service)),
      median(ofSide[0].map(({ database }) => database)),
      one,
      ...(await qualities(side, corpus)),
      Math.round(corpus.passages.length / side.seconds),
      Math.round(side.bytes / 1_048_576),
    ]);
  }
  return {
    sizes: {
      passages: corpus.passages.length,
      k: K,
      clients: CLIENTS,
      'seconds per cell': SECONDS,
      rounds: ROUNDS,
    },
    columns: [
      'side',
      ...FILTERS.map((filter) => (filter === null ? 'no filter, q/s (p50 ms)' : `1 in ${SHARES[filter]}`)),
      'service CPU ms',
      'database CPU ms',
      'one client, p50 ms',
      ...corpus.collections.map((name) => `nDCG@10 ${name}`),
      'passages per second',
      'disk, MB',
    ],
    rows,
    ratios: sides.slice(1).map(({ name }) => ratio(sides[0].name, name, cells)),
  };
}

function ratio(one, other, cells) {
  const factors = FILTERS.map(
    (_, at) => median(rates(cells.get(one)[at])) / median(rates(cells.get(other)[at])),
  );
  return `${one} answers ${factors.map((factor) => factor.toFixed(2)).join(', ')} times as many questions as ${other} (no filter, ${Object.values(
    SHARES,
  )
    .map((part) => `1 in ${part}`)
    .join(', ')}).`;
}

const rates = (runs) => runs.map(({ rate }) => rate);
const shown = (runs) =>
  `${Math.round(median(rates(runs)))} (${Math.round(median(runs.map(({ p50 }) => p50)))})`;
const median = (numbers) => percentile(numbers, 50);

/** Runs all clients for some seconds. Every question is new to the service. */
async function load(side, ask, filter, postmaster) {
  await asked(side, ask, filter, CELL_WARM_UP_SECONDS);
  const services = (side.pids ?? []).flatMap(processTree);
  const servers = side.usesDatabase ? processTree(postmaster) : [];
  const before = [processorSeconds(services), processorSeconds(servers)];
  const { times, seconds } = await asked(side, ask, filter, SECONDS);
  const spent = (pids, at) => ((processorSeconds(pids) - before[at]) * 1_000) / times.length;
  return {
    rate: times.length / seconds,
    p50: percentile(times, 50),
    service: spent(services, 0),
    database: spent(servers, 1),
  };
}

/** @returns the milliseconds of each question, and the total in seconds */
async function asked(side, ask, filter, least) {
  const times = [];
  const begun = performance.now();
  const client = async () => {
    while (performance.now() - begun < least * 1_000) {
      const sent = performance.now();
      await side.search(ask(), filter, K);
      times.push(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { times, seconds: (performance.now() - begun) / 1_000 };
}

/** Median latency of a single client, in milliseconds. */
async function alone(side, ask) {
  const times = [];
  for (let count = 0; count < 200; count += 1) {
    const sent = performance.now();
    await side.search(ask(), null, K);
    times.push(performance.now() - sent);
  }
  return percentile(times, 50);
}

/** nDCG@10 per collection, over the passages of all collections. */
async function qualities(side, { collections, questions }) {
  const means = [];
  for (const collection of collections) {
    const own = questions.filter((question) => question.collection === collection);
    let sum = 0;
    for (const question of own) sum += ndcg(await side.search(question, null, K), question.grades, 10);
    means.push(sum / own.length);
  }
  return means;
}

async function postmasterOf(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const pid = Number(parentOf(rows[0].pid));
  await client.end();
  return pid;
}
