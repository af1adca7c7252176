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
/** Documents per 10,000 that the person may then read. A filter of the same selectivity shows what any filter costs. */
const readableOf = (shared) => 100 * shared + ((100 - shared) * 100 * OWN_GROUPS) / GROUPS;

/** Compares searches of a person in many groups with searches of the tenant's key, without and with a filter. */
export const access = {
  name: 'access',
  about: 'result counts and latency for a person in forty groups, beside a filter of the same selectivity',

  run(options) {
    return withCorpus(options, DOCUMENTS, SHARED.map(readableOf), async ({ service, client }) => {
      const person = await personOf(service);
      const rows = [];
      for (const shared of SHARED) {
        options.say(`${shared}% for everyone`);
        const readable = await giveReaders(client, shared);
        for (const k of KS) {
          const filter = { [`share_${readableOf(shared)}`]: true };
          rows.push([`${shared}%`, k, readable, ...(await measure(service, person, filter, k))]);
        }
      }
      const largest = (column) => Math.max(...rows.map((row) => row[column])).toFixed(2);
      return {
        sizes: { documents: DOCUMENTS, queries: QUERIES, groups: OWN_GROUPS },
        columns: [
          'for everyone',
          'k',
          'readable',
          'results',
          'expected',
          'tenant p50 ms',
          'person / tenant',
          'person / filter',
          'tenant p95 ms',
          'person / tenant p95',
          'person / filter p95',
        ],
        rows,
        ratios: [
          `The largest ratio of the p50 is ${largest(6)} to the tenant's key, ${largest(7)} to a filter of the same selectivity; of the p95 ${largest(9)} and ${largest(10)}.`,
        ],
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

async function measure(service, person, filters, k) {
  const random = randomSource(k);
  const tenant = (path, body) => service.call(path, body);
  const callers = { person, tenant, filter: (path, body) => tenant(path, { ...body, filters }) };
  const names = Object.keys(callers);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  let results = 0;
  for (let number = 0; number < QUERIES; number += 1) {
    const query = question(random);
    await service.call('/retrieve/chunks', { query, k: 1 }); // caches the query vector
    // Alternates the order, because later searches benefit from cached pages.
    for (const name of number % 2 === 0 ? names : names.toReversed()) {
      const begun = performance.now();
      const answer = await callers[name]('/retrieve/chunks', { query, k });
      times[name].push(performance.now() - begun);
      if (name === 'person') results += answer.length;
    }
  }
  const at = (percent) => {
    const [own, whole, filtered] = names.map((name) => percentile(times[name], percent));
    return [whole, own / whole, own / filtered];
  };
  return [results / QUERIES, k, ...at(50), ...at(95)];
}
