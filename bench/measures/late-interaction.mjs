import { randomUUID } from 'node:crypto';
import { scopeOf } from '../../dist/auth/scope.js';
import { readSettings } from '../../dist/config/read-settings.js';
import { openDatabase } from '../../dist/database/open-database.js';
import { MaxSimThreads } from '../../dist/pages/max-sim-threads.js';
import { encodedPage } from '../../dist/pages/page-vectors.js';
import { PageRepository } from '../../dist/pages/page.repository.js';
import { PageSearch } from '../../dist/pages/page-search.js';
import { PageIndex } from '../../dist/chunks/vectors/vector-column.js';
import { PageSpace } from '../../dist/chunks/vectors/vector-space.js';
import { percentile } from '../report.mjs';
import { openHome } from '../service.mjs';
import { PAGE_DIMENSIONS, SyntheticPages } from '../synthetic-pages.mjs';

const VECTORS_EACH = 256;
const QUESTION_LENGTH = 20;
const QUESTIONS = Number(process.env.BENCH_QUERIES ?? 40);
const COUNTS = (process.env.BENCH_PAGE_COUNTS ?? '10000,50000').split(',').map(Number);
const SCANS = 5;
const K = 10;
const PAGES_EACH = 50;
const APP = 'default';
const SCOPE = scopeOf(APP, ['read'], 'bench');

/** The approach of a comparable service: binary quantisation, and MaxSim over all pages as a database function. */
const MAX_SIM_IN_SQL = `
  create function max_sim(page bit[], question bit[]) returns float8 language sql immutable parallel safe as $$
    select sum(best) from (
      select max(1 - (p.v <~> q.v) / ${PAGE_DIMENSIONS}) as best
      from unnest(question) with ordinality as q(v, n), unnest(page) as p(v)
      group by q.n
    ) s
  $$`;

/** Compares multi-vector page search with a full scan in SQL, on the same data and in the same database. */
export const lateInteraction = {
  name: 'late-interaction',
  about: `latency and recall@${K} of a search over synthetic pages of ${VECTORS_EACH} vectors`,

  async run({ databaseUrl, say }) {
    if (databaseUrl === undefined) return { skipped: 'it needs DATABASE_URL' };
    const home = await openHome(databaseUrl);
    const threads = new MaxSimThreads();
    try {
      await (await home.start()).stop(); // creates the tables
      const database = await openDatabase(
        readSettings({ ...home.environment, DATABASE_STATEMENT_TIMEOUT_MS: '3600000' }),
      );
      try {
        return await measure(database, threads, say);
      } finally {
        await database.destroy();
      }
    } finally {
      await threads.onApplicationShutdown();
      await home.close();
    }
  },
};

async function measure(database, threads, say) {
  const source = new SyntheticPages(VECTORS_EACH);
  const space = new PageSpace(database, { model: 'bench' });
  const search = new PageSearch(new PageRepository(database), threads, space);
  await database.transaction((manager) => space.join(manager, PAGE_DIMENSIONS));
  const pooled = new PageIndex(PAGE_DIMENSIONS);
  await database.query(MAX_SIM_IN_SQL);
  await database.query(`create table in_sql (number integer primary key, vectors bit(${PAGE_DIMENSIONS})[])`);
  const stored = [];
  const rows = [];
  const sizes = {};
  for (const count of COUNTS) {
    say(`storing ${count} pages`);
    await database.query(`drop index if exists ${pooled.name}`);
    await store(database, source, stored, count);
    say('making the index');
    await database.query(pooled.creation().text);
    await database.query('vacuum analyze pages');
    await database.query('vacuum analyze in_sql');
    const times = { search: [], scan: [] };
    let found = 0;
    for (let index = 0; index < QUESTIONS; index += 1) {
      const question = source.question(Math.floor((index * count) / QUESTIONS), QUESTION_LENGTH);
      const best = await exact(threads, question, stored);
      const ask = async () => ({ vectors: question, fingerprint: null });
      if (index === 0) await search.search(SCOPE, {}, ask, K);
      const begun = performance.now();
      const { pages } = await search.search(SCOPE, {}, ask, K);
      times.search.push(performance.now() - begun);
      found += pages.filter(({ filename, page_number: number }) => best.has(`${filename}/${number}`)).length;
      if (index < SCANS) times.scan.push(await scanned(database, question));
    }
    say(`${count} pages: ${(found / (QUESTIONS * K)).toFixed(3)} recall`);
    const p50 = percentile(times.search, 50);
    const scan = percentile(times.scan, 50);
    rows.push([
      `${count} pages`,
      found / (QUESTIONS * K),
      p50,
      percentile(times.search, 95),
      scan,
      scan / p50,
    ]);
    const [{ table, index }] = await database.query(
      `select pg_table_size('pages')::float8 as table, pg_relation_size('${pooled.name}')::float8 as index`,
    );
    sizes[`${count} pages`] =
      `${Math.round(table / count)} bytes a page, ${Math.round(index / count)} in the index`;
  }
  sizes.questions = `${QUESTIONS} of ${QUESTION_LENGTH} vectors, ${SCANS} of them in SQL`;
  return {
    sizes,
    columns: ['', `recall@${K}`, 'p50 ms', 'p95', 'max_sim in SQL, p50', 'times as long'],
    rows,
  };
}

/** Stores pages until `count` pages are stored, and keeps their vectors in memory. */
async function store(database, source, stored, count) {
  const writer = new PageRepository(database);
  while (stored.length < count) {
    const documentId = randomUUID();
    const numbers = Array.from({ length: PAGES_EACH }, (_, index) => stored.length + index);
    const made = numbers.map((number) => source.page(number));
    const pages = made.map((page, index) => ({
      pageNumber: index + 1,
      objectKey: `${documentId}/${index + 1}.png`,
      imageSize: 0,
      width: 1,
      height: 1,
      content: '',
      encoded: encodedPage(page),
      fingerprint: null,
    }));
    await database.transaction(async (manager) => {
      await manager.query(
        `insert into documents (app_id, external_id, filename, status, content_type, page_revisions)
         values ($1, $2, $3, 'completed', 'application/pdf', '{1}')`,
        [APP, documentId, documentId],
      );
      await writer.stage(manager, { appId: APP, documentId }, '1', pages);
      await manager.query(
        `insert into in_sql select number, vectors::bit(${PAGE_DIMENSIONS})[]
         from unnest($1::integer[], $2::text[]) as r(number, vectors)`,
        [numbers, made.map(signsOf)],
      );
    });
    for (const { pageNumber, encoded } of pages) {
      stored.push({ name: `${documentId}/${pageNumber}`, vectors: encoded.vectors });
    }
  }
}

/** The signs of the vectors as a PostgreSQL array of bit strings. */
function signsOf({ vectors }) {
  const rows = [];
  for (let start = 0; start < vectors.length; start += PAGE_DIMENSIONS) {
    rows.push(Array.from(vectors.subarray(start, start + PAGE_DIMENSIONS), (x) => (x > 0 ? 1 : 0)).join(''));
  }
  return `{${rows.join(',')}}`;
}

/** The best pages by exact search. */
async function exact(threads, question, stored) {
  const scores = await threads.scores(
    question,
    stored.map(({ vectors }) => vectors),
  );
  const ranking = scores.map((_, index) => index).sort((a, b) => scores[b] - scores[a]);
  return new Set(ranking.slice(0, K).map((index) => stored[index].name));
}

/** @returns the duration in milliseconds */
async function scanned(database, question) {
  const begun = performance.now();
  await database.query(
    `select number from in_sql order by max_sim(vectors, $1::bit(${PAGE_DIMENSIONS})[]) desc limit ${K}`,
    [signsOf(question)],
  );
  return performance.now() - begun;
}
