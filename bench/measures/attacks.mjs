import pg from 'pg';
import { percentile } from '../report.mjs';
import { call, openHome } from '../service.mjs';
import { randomSource } from '../random-source.mjs';
import { question, seedCorpus } from '../synthetic-corpus.mjs';
import { settingsFor, startTopicEmbeddings } from '../topic-embeddings.mjs';
import { ATTACK_NAMES, attackWith } from '../attacker.mjs';

const DOCUMENTS = Number(process.env.BENCH_CHUNKS ?? 10_000);
const FOLDERS = Number(process.env.BENCH_FOLDERS ?? 100_000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10);
/** Ordinary clients, each of which searches, waits, and searches again. */
const CLIENTS = 20;
const PAUSE_MS = 200;
/** Connections of an attacker. */
const AT_ONCE = 20;
/** A part of the name of the attacks to replay. */
const CHOSEN = process.env.BENCH_ATTACK ?? '';

/** Replays attacks of one person beside ordinary clients of another tenant, and compares their waiting times. */
export const attacks = {
  name: 'attacks',
  about: 'ordinary clients beside one who attacks',

  async run({ databaseUrl, say }) {
    const embeddings = await startTopicEmbeddings();
    const home = await openHome(databaseUrl);
    const settings = {
      ...settingsFor(embeddings),
      RATE_LIMIT_PER_MINUTE: '600',
      QUOTA_TENANT: 'folders=200000',
    };
    try {
      await (await home.start(settings)).stop(); // creates the schema
      if (databaseUrl !== undefined) {
        say('seeding');
        await seedCorpus(home.databaseUrl, DOCUMENTS, [], say);
      }
      const service = await home.start(settings);
      const keys = [];
      for (let n = 0; n < CLIENTS; n += 1) {
        keys.push((await service.call('/keys', { name: `client ${n}`, scopes: ['read'] })).key);
      }
      const { uri } = await service.call('/cloud/generate_uri', { name: 'attacker' });
      const admin = /:([\w.-]+)@/.exec(uri)[1];
      const scopes = ['read', 'query', 'write'];
      const mallory = { name: 'mallory', scopes, end_user_id: 'mallory' };
      if (databaseUrl !== undefined) await fillFolders(home.databaseUrl, 'attacker');
      await measure(service, keys, null); // warms up
      const alone = await measure(service, keys, null);
      const rows = [row('nothing', alone, alone)];
      for (const name of ATTACK_NAMES.filter((one) => one.includes(CHOSEN))) {
        say(name);
        const { key } = await call(service.url, admin, '/keys', mallory);
        const beside = await measure(service, keys, { name, key });
        rows.push(row(name, beside, alone));
      }
      await service.stop();
      return {
        sizes: {
          documents: DOCUMENTS,
          folders: FOLDERS,
          clients: CLIENTS,
          seconds: SECONDS,
          attackers: AT_ONCE,
        },
        columns: ['attack', 'attacks', 'refused %', 'p50 ms', 'p99 ms', 'p99 / alone', '/health/live max ms'],
        rows,
        ratios: [`The largest ratio of the p99 is ${Math.max(...rows.map((cells) => cells[5])).toFixed(2)}.`],
      };
    } finally {
      await home.close();
      await embeddings.close();
    }
  },
};

function row(name, { times, live, statuses }, alone) {
  const refused = statuses.filter((status) => status >= 400).length / Math.max(1, statuses.length);
  const p99 = percentile(times, 99);
  return [
    name,
    statuses.length,
    refused * 100,
    percentile(times, 50),
    p99,
    p99 / percentile(alone.times, 99),
    Math.max(...live),
  ];
}

async function measure(service, keys, attack) {
  const random = randomSource(7);
  const until = performance.now() + SECONDS * 1_000;
  const times = [];
  const live = [];
  const client = async (key) => {
    while (performance.now() < until) {
      const begun = performance.now();
      await call(service.url, key, '/retrieve/chunks', { query: question(random), k: 4 });
      times.push(performance.now() - begun);
      await pause(PAUSE_MS * (0.5 + random()));
    }
  };
  const probe = async () => {
    while (performance.now() < until) {
      const begun = performance.now();
      await (await fetch(`${service.url}/health/live`)).arrayBuffer();
      live.push(performance.now() - begun);
      await pause(50);
    }
  };
  const attacker =
    attack === null
      ? []
      : attackWith({ ...attack, base: service.url, connections: AT_ONCE, ms: SECONDS * 1_000 });
  const [statuses] = await Promise.all([attacker, ...keys.map(client), probe()]);
  return { times, live, statuses };
}

/** Inserts folders of the tenant, 40 in each of the others. */
async function fillFolders(url, tenant) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `insert into folders (app_id, path)
     select app_id, path from apps, (
       select '/f' || n / 40 || case when n % 40 = 0 then '' else '/g' || n % 40 end as path
       from generate_series(0, $2::integer - 1) n) f
     where name = $1 and shards > 0 on conflict do nothing`,
    [tenant, FOLDERS],
  );
  await client.query('analyze folders');
  await client.end();
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
