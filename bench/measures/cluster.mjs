import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { prose } from '../prose.mjs';
import { randomSource } from '../random-source.mjs';
import { percentile } from '../report.mjs';
import { call, freePort, openHome } from '../service.mjs';
import { DIMENSIONS, settingsFor } from '../topic-embeddings.mjs';
import { startFakeEmbeddings } from '../../test/support/fake-embeddings.mjs';

const DOCUMENTS = Number(process.env.BENCH_DOCUMENTS ?? 20_000);
const TENANTS = 20;
const COPIES = 20;
const CHARACTERS = 400;
const CLIENTS = 4;
/** One in ADDITIONS requests appends to a document. The other requests are queries. */
const ADDITIONS = 4;
const CALM_MS = Number(process.env.BENCH_CALM_MS ?? 20_000);
const AWAY_MS = 15_000;

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../../scripts/start-citus.sh', import.meta.url));
const LECTERN = fileURLToPath(new URL('../../dist/cli/lectern.js', import.meta.url));

/**
 * Measures availability while a PostgreSQL database is distributed over a cluster, and while nodes of the cluster fail.
 * During this time clients query and append continuously. Afterwards every acknowledged append must exist exactly once,
 * and every count must be unchanged.
 */
export const cluster = {
  name: 'cluster',
  about: `lectern distribute, killed servers and moving shards under load, ${DOCUMENTS.toLocaleString('en-US')} documents of ${TENANTS} tenants (BENCH_DOCUMENTS)`,

  async run({ say }) {
    if (!(await isBuilt())) return { skipped: 'scripts/start-citus.sh has not built Citus here' };
    const servers = await startServers();
    const embeddings = await startFakeEmbeddings({ dimensions: DIMENSIONS });
    const home = await openHome(servers.url);
    const database = new pg.Pool({ connectionString: home.databaseUrl, max: 2 });
    database.on('error', () => undefined); // the measurement kills the server of this connection
    try {
      const service = await home.start({
        ...settingsFor(embeddings),
        LOG_LEVEL: 'fatal', // 503s are expected
      });
      const tenants = await seed(service, database, say);
      const before = await counts(database);
      const rows = [];
      for (const [what, work] of phases(home, servers, database)) {
        say(what);
        const load = startLoad(service, tenants);
        await pause(2_000);
        const from = performance.now();
        const took = (await work()) ?? `${((performance.now() - from) / 1_000).toFixed(1)} s`;
        await pause(2_000);
        const requests = await load.stop();
        await settled(database);
        await verify(database, tenants, before);
        rows.push([what, took, ...summaryOf(requests)]);
        say(rows.at(-1).join(', '));
      }
      const kept = tenants
        .flatMap(({ documents }) => documents)
        .reduce((sum, { kept }) => sum + kept.length, 0);
      return {
        sizes: { documents: DOCUMENTS, tenants: TENANTS, clients: CLIENTS },
        columns: [
          'phase',
          'duration',
          'requests',
          '503',
          'others',
          'question p50, p95',
          'addition p50, p95',
          '503 p50, p95',
        ],
        rows,
        ratios: [
          `${kept.toLocaleString('en-US')} additions were acknowledged, and each document contains each of its additions once. The number of documents is unchanged (${before.documents.toLocaleString('en-US')}), and the counts of chunks and terms match the stored rows.`,
        ],
      };
    } finally {
      await database.end();
      await home.close().catch((error) => say(`not removed: ${error.message}`));
      await embeddings.close();
      await servers.stop();
    }
  },
};

/** The events during the load. @returns pairs of a name and an action; the action returns a note for the report */
function phases(home, servers, database) {
  const [, worker] = servers.workers;
  const move = async (mode) => {
    const begun = performance.now();
    await database.query(`select citus_drain_node('127.0.0.1', $1, shard_transfer_mode => $2)`, [
      worker,
      mode,
    ]);
    const away = performance.now();
    await database.query(`select citus_set_node_property('127.0.0.1', $1, 'shouldhaveshards', true)`, [
      worker,
    ]);
    await database.query(`select rebalance_table_shards(shard_transfer_mode => $1)`, [mode]);
    const seconds = (from, to) => ((to - from) / 1_000).toFixed(1);
    return `${seconds(begun, away)} and ${seconds(away, performance.now())} s`;
  };
  const kill = async (node, away) => {
    await servers.kill(node);
    await pause(away);
    await servers.start();
  };
  return [
    ['one PostgreSQL', () => pause(CALM_MS)],
    ['lectern distribute', () => distribute(home, servers.workers)],
    ['the cluster', () => pause(CALM_MS)],
    [`a worker killed, down for ${AWAY_MS / 1_000} s`, () => kill('worker2', AWAY_MS)],
    ['the coordinator killed', () => kill('coordinator', 0)],
    ['shards moved off a worker and back, writes blocked', () => move('block_writes')],
    ['shards moved by logical replication', () => move('force_logical')],
  ];
}

async function isBuilt() {
  return run(SCRIPT, ['--built']).then(
    () => true,
    () => false,
  );
}

/** Starts a coordinator and two workers. */
async function startServers() {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-bench-cluster-'));
  const port = await freePort();
  const start = async () => (await run(SCRIPT, [folder, String(port)])).stdout.trim().split('\n').at(-1);
  return {
    url: await start(),
    workers: [port + 1, port + 2],
    /** @param node folder of the node, whose processes then exit on their own */
    async kill(node) {
      const [pid] = (await readFile(join(folder, node, 'cluster/postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGKILL');
    },
    async start() {
      for (let time = 0; ; time += 1) {
        try {
          return await start();
        } catch (error) {
          if (time === 20) throw error; // processes left over from the killed node still use its shared memory
          await pause(500);
        }
      }
    },
    async stop() {
      await run(SCRIPT, ['--stop', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @returns the duration and the distributed tables */
async function distribute(home, workers) {
  const options = workers.flatMap((port) => ['--worker', `127.0.0.1:${port}`]);
  const begun = performance.now();
  const times = [begun];
  const running = run(process.execPath, [LECTERN, 'distribute', ...options], { env: home.environment });
  running.child.stdout.on('data', () => times.push(performance.now()));
  await running;
  const tables = Math.max(...times.slice(1).map((time, index) => time - times[index]));
  return `${((performance.now() - begun) / 1_000).toFixed(1)} s, the tables ${(tables / 1_000).toFixed(1)} s`;
}

/**
 * Ingests one in COPIES documents. Makes the other documents by copying the rows of the ingested ones.
 *
 * @returns tenants with their keys and documents: `{ appId, key, documents: [{ id, kept, tried }] }`
 */
async function seed(service, database, say) {
  const random = randomSource(1);
  const tenants = [];
  for (let number = 0; number < TENANTS; number += 1) {
    const { app_id: appId, uri } = await service.call('/cloud/generate_uri', { name: `team-${number}` });
    tenants.push({ appId, key: /:([\w.-]+)@/.exec(uri)[1] });
  }
  const numbers = Array.from({ length: DOCUMENTS / COPIES }, (_, number) => number).values();
  const client = async () => {
    for (const number of numbers) {
      const content = prose(random, CHARACTERS);
      const metadata = { number, even: number % 2 === 0 };
      await call(service.base, tenants[number % TENANTS].key, '/ingest/text', { content, metadata });
      if (number % 200 === 0) say(`${number} of ${DOCUMENTS / COPIES} documents`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  await settled(database);
  say(`${COPIES - 1} copies of each`);
  await copyDocuments(await database.connect());
  const { rows } = await database.query('select app_id, external_id as id from documents');
  return tenants.map(({ appId, key }) => ({
    key,
    documents: rows.filter((row) => row.app_id === appId).map(({ id }) => ({ id, kept: [], tried: [] })),
  }));
}

async function copyDocuments(client) {
  await client.query(
    `create temporary table copies as select app_id, external_id as original, gen_random_uuid() as copy
     from documents, generate_series(2, ${COPIES})`,
  );
  for (const [table, id] of [
    ['documents', 'external_id'],
    ['document_texts', 'document_id'],
    ['chunks', 'document_id'],
  ]) {
    const { rows } = await client.query(
      `select column_name as name from information_schema.columns where table_schema = current_schema()
       and table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'`,
      [table],
    );
    const names = rows.map(({ name }) => name);
    const values = names.map((name) => (name === id ? 'c.copy' : `t.${name}`));
    await client.query(
      `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from ${table} t
       join copies c on c.app_id = t.app_id and c.original = t.${id}`,
    );
  }
  for (const table of ['corpus_stats', 'term_stats']) {
    await client.query(`update ${table} set chunk_count = chunk_count * ${COPIES}`);
  }
  await client.query('analyze');
  client.release(true);
}

/**
 * Starts clients that query and append continuously. Two clients never use the same document.
 *
 * @returns a function that stops them and resolves to the requests: `{ kind, status, retryAfter, milliseconds }`
 */
function startLoad(service, tenants) {
  const random = randomSource(Date.now());
  const requests = [];
  const busy = new Set();
  let isOver = false;
  const one = (list) => list[Math.floor(random() * list.length)];
  const send = async (kind, key, path, body) => {
    const begun = performance.now();
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(service.base + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const milliseconds = performance.now() - begun;
    const retryAfter = Number(response.headers.get('retry-after'));
    requests.push({ kind, status: response.status, retryAfter, milliseconds, text });
    return response.ok;
  };
  const client = async () => {
    while (!isOver) {
      const { key, documents } = one(tenants);
      if (random() >= 1 / ADDITIONS) {
        await send('question', key, '/retrieve/chunks', { query: prose(random, 60), k: 4 });
        continue;
      }
      const document = one(documents);
      if (busy.has(document)) continue;
      busy.add(document);
      const marker = `added${Math.floor(random() * 2 ** 50).toString(36)}x`;
      document.tried.push(marker);
      const isKept = await send('addition', key, `/documents/${document.id}/update_text`, {
        content: `${marker}.`,
      });
      if (isKept) document.kept.push(marker);
      busy.delete(document);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    async stop() {
      isOver = true;
      await clients;
      return requests;
    },
  };
}

/** @throws Error for a response that is neither a success nor a documented 503 */
function summaryOf(requests) {
  const refused = requests.filter(({ status, retryAfter }) => status === 503 && retryAfter > 0);
  const others = requests.filter((request) => request.status !== 200 && !refused.includes(request));
  for (const { kind, status, text } of others.slice(0, 3))
    console.error(`  ${kind} ${status}: ${text.slice(0, 300)}`);
  const times = (list) => {
    const all = list.map(({ milliseconds }) => milliseconds);
    return all.length === 0 ? '' : [50, 95].map((p) => Math.round(percentile(all, p))).join(', ');
  };
  const good = (kind) => times(requests.filter((request) => request.kind === kind && request.status === 200));
  const statuses = [...new Set(others.map(({ status }) => status))].join(', ');
  const other = others.length === 0 ? '0' : `${others.length} (${statuses})`;
  return [requests.length, refused.length, other, good('question'), good('addition'), times(refused)];
}

/** Waits until no jobs and no prepared transactions are left. */
async function settled(database) {
  for (let time = 0; time < 600; time += 1) {
    const rest = await database
      .query(`select count(*)::integer as jobs from ingestion_jobs`)
      .catch(() => ({ rows: [{ jobs: NaN }] })); // the coordinator is restarting
    if (rest.rows[0].jobs === 0) {
      const { rows } = await database.query(`select from pg_extension where extname = 'citus'`);
      if (rows.length > 0)
        await database.query('select recover_prepared_transactions()').catch(() => undefined);
      return;
    }
    await pause(500);
  }
  throw new Error('jobs are left after five minutes');
}

const COUNTED = ['apps', 'api_keys', 'documents', 'metadata_order', 'corpus_stats', 'folders', 'chats'];

async function counts(database) {
  const found = {};
  for (const table of COUNTED) {
    const { rows } = await database.query(`select count(*)::integer as rows from ${table}`);
    found[table] = rows[0].rows;
  }
  return found;
}

/** Queries that find inconsistent rows. Each must return no rows. */
const WRONG = {
  'a document that is not completed': `select external_id from documents where status <> 'completed'`,
  'a chunk count of a tenant that differs from its chunks': `
    select s.app_id from corpus_stats s left join chunks c on c.app_id = s.app_id
    group by s.app_id, s.chunk_count having s.chunk_count <> count(c.*)`,
  'a chunk count of a document that differs from its chunks': `
    select d.external_id from documents d
    left join chunks c on c.app_id = d.app_id and c.document_id = d.external_id
    group by d.app_id, d.external_id, d.chunk_count having count(c.*) <> d.chunk_count`,
  'a document frequency that differs from the chunks': `
    select coalesce(s.key, h.key) as key from term_stats s
    full join (select c.app_id, t.key, count(*)::integer as held from chunks c, unnest(c.terms) as t(key) group by 1, 2) h
      on h.app_id = s.app_id and h.key = s.key
    where s.chunk_count is distinct from h.held`,
};

/** @throws Error for lost, duplicated or orphaned data */
async function verify(database, tenants, before) {
  const after = await counts(database);
  if (JSON.stringify(after) !== JSON.stringify(before)) {
    throw new Error(`rows before ${JSON.stringify(before)}, afterwards ${JSON.stringify(after)}`);
  }
  for (const [what, statement] of Object.entries(WRONG)) {
    const { rows } = await database.query(`${statement} limit 3`);
    if (rows.length > 0) throw new Error(`${what}: ${JSON.stringify(rows)}`);
  }
  const documents = tenants.flatMap(({ documents }) => documents).filter(({ tried }) => tried.length > 0);
  const { rows } = await database.query(
    `select document_id as id, string_agg(content, '' order by part) as text from document_texts
     where document_id = any($1::uuid[]) group by app_id, document_id`,
    [documents.map(({ id }) => id)],
  );
  const texts = new Map(rows.map(({ id, text }) => [id, text]));
  for (const { id, kept, tried } of documents) {
    const found = texts.get(id)?.match(/added\w+x/g) ?? [];
    const isLost = kept.some((marker) => !found.includes(marker));
    if (isLost || new Set(found).size !== found.length || found.some((marker) => !tried.includes(marker))) {
      throw new Error(
        `document ${id}: acknowledged ${kept.join()}, tried ${tried.join()}, found ${found.join()}`,
      );
    }
  }
}
