import { withCorpus } from '../corpus-service.mjs';
import { randomSource } from '../random-source.mjs';
import { percentile } from '../report.mjs';
import { call } from '../service.mjs';
import { question } from '../synthetic-corpus.mjs';

const DOCUMENTS = Number(process.env.BENCH_CHUNKS ?? 100_000);
const QUERIES = Number(process.env.BENCH_QUERIES ?? 200);
const KS = [4, 10, 100];
/** Groups of the tenant, and of the person. Every document is readable by one group, or by everyone. */
const GROUPS = 400;
const OWN_GROUPS = 40;
/** Share of the documents that everyone may read, in percent. */
const SHARED = [0, 50, 99];

/** Compares searches of a person in many groups with searches of the tenant's key. */
export const access = {
  name: 'access',
  about: 'result counts and latency for a person in forty groups',

  run(options) {
    return withCorpus(options, DOCUMENTS, [], async ({ service, client }) => {
      const person = await personOf(service);
      const rows = [];
      for (const shared of SHARED) {
        options.say(`${shared}% for everyone`);
        const readable = await giveReaders(client, shared);
        for (const k of KS) rows.push([`${shared}%`, k, readable, ...(await measure(service, person, k))]);
      }
      const ratios = rows.map((row) => row[7]);
      return {
        sizes: { documents: DOCUMENTS, queries: QUERIES, groups: OWN_GROUPS },
        columns: [
          'for everyone',
          'k',
          'readable',
          'results',
          'expected',
          'person p95 ms',
          'tenant p95 ms',
          'ratio',
        ],
        rows,
        ratios: [`The largest ratio of the p95 is ${Math.max(...ratios).toFixed(2)}.`],
      };
    });
  },
};

/** Makes a key of a person in the first groups. */
async function personOf(service) {
  for (let group = 0; group < OWN_GROUPS; group += 1) {
    await service.call('/groups', { id: `group-${group}`, members: ['person'] });
  }
  const { key } = await service.call('/keys', { name: 'person', scopes: ['read'], end_user_id: 'person' });
  return (path, body) => call(service.url, key, path, body);
}

/** Lets everyone read a share of the documents, and one group each of the others. @returns what the person may read */
async function giveReaders(client, shared) {
  await client.query(
    `update documents set access = jsonb_build_object('writers', '[]'::jsonb, 'admins', '[]'::jsonb, 'readers', jsonb_build_array(
       case when abs(hashtext(external_id::text)) % 100 < $1 then 'everyone'
         else 'group:group-' || abs(hashtext('g' || external_id::text)) % ${GROUPS} end))`,
    [shared],
  );
  await client.query('vacuum analyze documents');
  const own = Array.from({ length: OWN_GROUPS }, (_, group) => `group:group-${group}`);
  const { rows } = await client.query(
    `select count(*)::integer as readable from documents where readers && $1::text[]`,
    [['user:person', ...own, 'everyone']],
  );
  return rows[0].readable;
}

async function measure(service, person, k) {
  const random = randomSource(k);
  const times = { person: [], tenant: [] };
  let results = 0;
  for (let number = 0; number < QUERIES; number += 1) {
    const query = question(random);
    await service.call('/retrieve/chunks', { query, k: 1 }); // caches the query vector
    const callers = { person, tenant: (path, body) => service.call(path, body) };
    // Alternates the order, because the second search benefits from cached pages.
    for (const name of number % 2 === 0 ? ['person', 'tenant'] : ['tenant', 'person']) {
      const begun = performance.now();
      const answer = await callers[name]('/retrieve/chunks', { query, k });
      times[name].push(performance.now() - begun);
      if (name === 'person') results += answer.length;
    }
  }
  const [own, whole] = [percentile(times.person, 95), percentile(times.tenant, 95)];
  return [results / QUERIES, k, own, whole, own / whole];
}
