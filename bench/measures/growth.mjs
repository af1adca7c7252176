import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { plotOf } from '../plot.mjs';
import { randomSource } from '../random-source.mjs';
import { percentile } from '../report.mjs';
import { call, megabytesOf, openHome } from '../service.mjs';
import { question, seedCorpus } from '../synthetic-corpus.mjs';
import { DIMENSIONS, settingsFor, startTopicEmbeddings } from '../topic-embeddings.mjs';

const SIZES = (process.env.BENCH_SIZES ?? '10000,100000,1000000').split(',').map(Number);
const QUERIES = Number(process.env.BENCH_QUERIES ?? 60);
const K = 10;
const PLOT = new URL('../../docs/plots/growth.svg', import.meta.url);

/** The tenant that owns every hundredth document. */
const SMALL = 'small';
const tenantOf = (number) => (number % 100 === 0 ? SMALL : 'default');

const CELLS = [
  { name: 'no filter', filters: null },
  { name: '10% random', filters: { share_1000: true } },
  { name: '1% random', filters: { share_100: true } },
  { name: '10% clustered', filters: { topic: { $in: Array.from({ length: 20 }, (_, topic) => topic) } } },
  { name: 'a tenant of 1%', filters: null, tenant: SMALL },
];

/** Measures search latency and storage while the corpus grows. */
export const growth = {
  name: 'growth',
  about: `latency of searches, time to build the indexes, disk and memory with ${SIZES.map((size) => size.toLocaleString('en-US')).join(', ')} chunks (BENCH_SIZES)`,

  async run({ databaseUrl, say }) {
    if (databaseUrl === undefined) return { skipped: 'it needs DATABASE_URL' };
    const embeddings = await startTopicEmbeddings();
    const settings = settingsFor(embeddings);
    const sizes = [];
    try {
      for (const size of SIZES) sizes.push(await measured(size, { databaseUrl, settings, say }));
    } finally {
      await embeddings.close();
    }
    const series = CELLS.map(({ name }, at) => ({
      name,
      points: sizes.map(({ chunks, times }) => [chunks, times[at].p50]),
    }));
    await writeFile(PLOT, plotOf({ title: 'p50 of a search, ms', x: 'chunks', series }));
    return {
      sizes: { k: K, queries: QUERIES, dimensions: DIMENSIONS },
      columns: ['chunks', ...CELLS.map(({ name }) => name), 'index build, s', 'disk, MB', 'service, MB'],
      rows: sizes.map(({ chunks, times, seconds, disk, memory }) => [
        chunks,
        ...times.map(({ p50, p95 }) => `${p50.toFixed(1)}, ${p95.toFixed(1)}`),
        seconds,
        disk,
        memory,
      ]),
      ratios: sizes.slice(1).map(({ chunks, times }, at) => {
        const factors = times.map(({ p50 }, cell) => p50 / sizes[at].times[cell].p50);
        const worst = factors.indexOf(Math.max(...factors));
        return `From ${sizes[at].chunks.toLocaleString('en-US')} to ${chunks.toLocaleString('en-US')} chunks the p50 without a filter grows ${factors[0].toFixed(2)} times, at most ${factors[worst].toFixed(2)} times (${CELLS[worst].name}).`;
      }),
    };
  },
};

async function measured(chunks, { databaseUrl, settings, say }) {
  const home = await openHome(databaseUrl);
  try {
    let service = await home.start(settings);
    await service.call('/cloud/generate_uri', { name: SMALL, app_id: SMALL });
    const { key } = await service.call('/keys', { name: 'bench', app_id: SMALL, scopes: ['read'] });
    await service.stop();
    say(`seeding ${chunks} chunks`);
    const seconds = await seedCorpus(home.databaseUrl, chunks, [1_000, 100], say, tenantOf);
    service = await home.start(settings);
    const times = [];
    for (const cell of CELLS) {
      say(`${chunks} chunks: ${cell.name}`);
      times.push(await timesOf(service, cell, cell.tenant === undefined ? service.key : key));
    }
    const memory = await megabytesOf(service.pid, 'VmRSS');
    await service.stop();
    return { chunks, times, seconds, disk: await megabytesOnDisk(home.databaseUrl), memory };
  } finally {
    await home.close();
  }
}

async function timesOf(service, { filters }, key) {
  const random = randomSource(3);
  const times = [];
  const ask = (query, k) => call(service.base, key, '/retrieve/chunks', { query, k, filters });
  for (let number = 0; number < QUERIES + 5; number += 1) {
    const query = question(random);
    await call(service.base, key, '/retrieve/chunks', { query, k: 1 }); // caches the query vector
    const begun = performance.now();
    const found = await ask(query, K);
    if (found.length !== K) throw new Error(`${found.length} results instead of ${K}`);
    if (number >= 5) times.push(performance.now() - begun);
  }
  return { p50: percentile(times, 50), p95: percentile(times, 95) };
}

async function megabytesOnDisk(url) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query('select pg_database_size(current_database()) / 1048576 as megabytes');
  await client.end();
  return Number(rows[0].megabytes);
}
