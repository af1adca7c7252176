import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** A request that an attacker repeats. Refusals are expected. @returns the status */
const send = async ({ base, key }, path, body) => {
  const isForm = body instanceof FormData;
  const response = await fetch(base + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      Accept: 'application/json, text/event-stream',
      ...(isForm || body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    body: body === undefined || isForm ? body : JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
};

const upload = (caller, file, name) => {
  const form = new FormData();
  form.set('file', file, name);
  return send(caller, '/ingest/file', form);
};

const patterns = Object.fromEntries(
  Array.from({ length: 1_200 }, (_, n) => [`^(a|b|c){1,900}x${n}$`, { type: 'string' }]),
);
const tool = (id) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'search', arguments: { query: 'w1 w2' } },
});
const wide = new Blob(Array.from({ length: 140 }, () => `${'1234567,'.repeat(12_500)}1\n`));
const quotes = new Blob(['"'.repeat(3_000_000)]);
const deep = () => Array.from({ length: 64 }, () => Math.random().toString(36).slice(2, 6)).join('/');

const ATTACKS = new Map([
  [
    'schemas of 1,200 patterns',
    (caller) =>
      send(caller, '/query', { query: 'w1', schema: { type: 'object', patternProperties: patterns } }),
  ],
  [
    'texts in folders 64 levels deep',
    (caller) => send(caller, '/ingest/text', { content: 'w1', folder_name: deep() }),
  ],
  ['listings of 100,000 folders', (caller) => send(caller, '/folders?skip=1000')],
  [
    'batches of MCP calls',
    (caller) =>
      send(
        caller,
        '/mcp',
        Array.from({ length: 20 }, (_, id) => tool(id)),
      ),
  ],
  [
    'deletions of 1,000 documents',
    (caller) =>
      send(caller, '/documents/delete', { document_ids: Array.from({ length: 1_000 }, () => randomUUID()) }),
  ],
  ['CSV files of 14 MB in few lines', (caller) => upload(caller, wide, 'wide.csv')],
  ['CSV files of 3 MB of quotes', (caller) => upload(caller, quotes, 'quotes.csv')],
  ['wrong keys', ({ base }) => send({ base, key: 'x.y.z' }, '/folders')],
]);

export const ATTACK_NAMES = [...ATTACKS.keys()];

/**
 * Attacks in another thread, so that the clients do not wait for the attacker's own work.
 * @param attack `name`, `base`, `key`, the number of connections and milliseconds
 * @returns the statuses of the answers
 */
export function attackWith(attack) {
  return new Promise((resolve, reject) => {
    new Worker(fileURLToPath(import.meta.url), { workerData: attack })
      .once('message', resolve)
      .once('error', reject);
  });
}

if (!isMainThread) {
  const { name, connections, ms, ...caller } = workerData;
  const until = performance.now() + ms;
  const statuses = [];
  const one = async () => {
    while (performance.now() < until) statuses.push(await ATTACKS.get(name)(caller));
  };
  await Promise.all(Array.from({ length: connections }, one));
  parentPort.postMessage(statuses);
}
