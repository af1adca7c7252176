import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../service.mjs';
import { postJson } from '../post-json.mjs';

const BATCH = 200;
const START_LIMIT_MS = 60_000;
const QUIET = { ANONYMIZED_TELEMETRY: 'False' };

/** Chroma's server over REST; vector search only. @param python path of a Python that has requirements.txt installed */
export const chroma = (python) => ({
  name: 'Chroma',
  async start({ passages }) {
    const server = await startServer('/api/v2/heartbeat', (folder, port) => [
      join(dirname(python), 'chroma'),
      ['run', '--path', folder, '--host', '127.0.0.1', '--port', String(port)],
    ]);
    const { post, close } = postJson(server.base);
    const collections = '/api/v2/tenants/default_tenant/databases/default_database/collections';
    const { id: collection } = await post(collections, {
      name: 'passages',
      configuration: { hnsw: { space: 'cosine' } },
    });
    const seconds = await inBatches(passages, (part) =>
      post(`${collections}/${collection}/add`, {
        ids: part.map(({ id }) => id),
        embeddings: part.map(({ vector }) => Array.from(vector)),
        documents: part.map(({ text }) => text),
        metadatas: part.map(({ metadata }) => metadata),
      }),
    );
    return {
      ...server.side(seconds, close),
      async search({ vector }, filter, k) {
        const { ids } = await post(`${collections}/${collection}/query`, {
          query_embeddings: [Array.from(vector)],
          n_results: k,
          include: ['documents', 'metadatas', 'distances'],
          ...(filter === null ? {} : { where: { [filter]: true } }),
        });
        return ids[0];
      },
    };
  },
});

/** LanceDB behind FastAPI, with hybrid search. */
export const lanceDb = behindFastApi('LanceDB', 'lancedb_server.py');

/** Qdrant Edge (Qdrant's engine as a library) behind FastAPI, with hybrid search. */
export const qdrant = behindFastApi('Qdrant Edge', 'qdrant_server.py');

/** A side that a script beside this file serves: `/add`, `/index`, `/search`, `/ready`. */
function behindFastApi(name, file) {
  const script = fileURLToPath(new URL(file, import.meta.url));
  return (python) => ({
    name,
    async start({ passages }) {
      const server = await startServer('/ready', (folder, port) => [python, [script, folder, String(port)]]);
      const { post, close } = postJson(server.base);
      const added = await inBatches(passages, (part) =>
        post(
          '/add',
          part.map((passage) => ({ ...passage, vector: Array.from(passage.vector) })),
        ),
      );
      const begun = performance.now();
      await post('/index', {});
      const seconds = added + (performance.now() - begun) / 1_000;
      return {
        ...server.side(seconds, close),
        search: ({ text, vector }, filter, k) =>
          post('/search', { text, vector: Array.from(vector), k, filter }),
      };
    },
  });
}

async function inBatches(passages, add) {
  const begun = performance.now();
  for (let start = 0; start < passages.length; start += BATCH)
    await add(passages.slice(start, start + BATCH));
  return (performance.now() - begun) / 1_000;
}

async function startServer(readyPath, commandOf) {
  const folder = await mkdtemp(join(tmpdir(), 'lectern-bench-peer-'));
  const port = await freePort();
  const [command, options] = commandOf(folder, port);
  const child = spawn(command, options, { env: { ...process.env, ...QUIET }, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const base = `http://127.0.0.1:${port}`;
  const begun = performance.now();
  while (!(await fetch(base + readyPath).catch(() => ({ ok: false }))).ok) {
    if (child.exitCode !== null || performance.now() - begun > START_LIMIT_MS) {
      child.kill('SIGKILL');
      throw new Error(`${command} did not start`);
    }
    await pause(100);
  }
  const side = (seconds, closeClient) => ({
    seconds,
    pids: [child.pid],
    usesDatabase: false,
    bytes: bytesUnder(folder),
    async close() {
      closeClient();
      child.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  });
  return { base, side };
}

function bytesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
