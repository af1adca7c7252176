/**
 * `npm run house`: prints the size of the server in files and lines, and the number of files that each request
 * executes.
 *
 * Files and lines are counted per folder of src, of the reader and of maintenance, without specs. A request executes a file if V8 counts a call of one of
 * its functions in dist (Profiler.takePreciseCoverage of the inspector). Each entry point receives five different
 * requests, so that no cache answers. A file counts if all five requests execute it, which excludes timers. Not counted
 * are threads (models), parser processes, and modules that are loaded but not executed. "Behind the frame" is the count
 * without the folders in FRAME.
 *
 * Options: `npm run house -- --list` prints the files of each entry point.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const SRC = fileURLToPath(new URL('../src/', import.meta.url));
const READER = fileURLToPath(new URL('../reader/src/', import.meta.url));
const MAINTENANCE = fileURLToPath(new URL('../maintenance/', import.meta.url));
const ROOT = new URL('../', import.meta.url).href;
const BUILT = /^(?:dist|(reader)\/dist)\//;
const KEY = 'the-key-of-this-measurement';
const TIMES = 5;

/** Folders of code that all requests share. */
const FRAME = ['access', 'auth', 'errors', 'http', 'quotas', 'request', 'telemetry'];

/** @param stored ids of a document and of a vector store @param time number of the request, 0 to 4 */
const ENTRY_POINTS = [
  {
    name: 'POST /retrieve/chunks/grouped with a filter',
    path: () => '/retrieve/chunks/grouped',
    body: (time) => ({
      query: `Who trimmed the lamp in the winter of ${1900 + time}?`,
      k: 4,
      filters: { kind: 'log', year: { $gte: 1900 + time } },
    }),
  },
  {
    name: 'POST /query',
    path: () => '/query',
    body: (time) => ({ query: `What did the keeper note in ${1900 + time}?`, k: 4 }),
  },
  {
    name: 'POST /v1/responses with file_search',
    path: () => '/v1/responses',
    body: (time, { store }) => ({
      model: 'lectern',
      input: `What did the keeper note in ${1900 + time}?`,
      tools: [{ type: 'file_search', vector_store_ids: [store] }],
    }),
  },
  {
    name: 'POST /documents/{id}/update_text',
    path: ({ document }) => `/documents/${document}/update_text`,
    body: (time) => ({ content: `In ${1950 + time} the lamp became electric.` }),
  },
];

const { values } = parseArgs({ options: { list: { type: 'boolean', default: false } } });

await sizes('src', SRC);
await sizes('reader', READER);
console.log();
await sizes('maintenance', MAINTENANCE);
const folder = await mkdtemp(join(tmpdir(), 'lectern-house-'));
try {
  await runs(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exit(); // threads of the bundled model keep the process alive

/** Lines and files per folder of a package. */
async function sizes(name, root) {
  const rooms = new Map();
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    if (!entry.name.endsWith('.ts') || entry.name.endsWith('.spec.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const lines = (await readFile(path, 'utf8')).split('\n').length - 1;
    const room = roomOf(relative(root, path));
    const { files = 0, lines: before = 0 } = rooms.get(room) ?? {};
    rooms.set(room, { files: files + 1, lines: before + lines });
  }
  const sorted = [...rooms].sort(([, one], [, other]) => other.lines - one.lines);
  const total = sorted.reduce(
    (sum, [, { files, lines }]) => ({ files: sum.files + files, lines: sum.lines + lines }),
    { files: 0, lines: 0 },
  );
  console.log('room            files   lines');
  for (const [room, { files, lines }] of [...sorted, [name, total]]) {
    console.log(`${room.padEnd(14)} ${String(files).padStart(6)} ${String(lines).padStart(7)}`);
  }
}

function roomOf(file) {
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : 'edge';
}

/** Starts the built service in this process and records the files executed by each entry point. */
async function runs(folder) {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const { service, close } = await startService(folder);
  const ids = await stored(service);
  console.log('\nfiles behind the frame, with it');
  for (const { name, path, body } of ENTRY_POINTS) {
    let common = null;
    for (let time = 0; time < TIMES; time += 1) {
      await session.post('Profiler.takePreciseCoverage'); // resets the counters
      await service('POST', path(ids), body(time, ids));
      const files = called(await session.post('Profiler.takePreciseCoverage'));
      common = common === null ? files : common.filter((file) => files.includes(file));
    }
    const behind = common.filter((file) => ![...FRAME, 'edge'].includes(roomOf(file)));
    console.log(`${String(behind.length).padStart(6)} ${String(common.length).padStart(6)}  ${name}`);
    if (values.list) for (const file of common) console.log(`               ${file}`);
  }
  session.disconnect();
  await close();
}

/** Built files with an executed function; those of the reader start with `reader/`. */
function called({ result }) {
  return result
    .filter(({ url, functions }) => url.startsWith(ROOT) && functions.some(isCalled))
    .map(({ url }) => url.slice(ROOT.length))
    .filter((file) => BUILT.test(file))
    .map((file) => file.replace(BUILT, (_, reader) => (reader ? 'reader/' : '')))
    .sort();
}

function isCalled({ ranges }) {
  return ranges.some(({ count }) => count > 0);
}

/** Embedded defaults with a temporary data folder. */
async function startService(folder) {
  const { AppModule } = await import('../dist/app.module.js');
  const { readSettings } = await import('../dist/config/read-settings.js');
  const { createHttpApplication } = await import('../dist/http/create-http-application.js');
  const settings = readSettings({ DATA_DIR: folder, ADMIN_KEY: KEY, PORT: '0', LOG_LEVEL: 'error' });
  const app = await createHttpApplication(AppModule.with(settings), settings);
  await app.listen(0, '127.0.0.1');
  const url = `http://127.0.0.1:${app.getHttpServer().address().port}`;
  const service = async (method, path, body) => {
    const isForm = body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${KEY}`,
        ...(isForm || body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };
  return { service, close: () => app.close() };
}

/** @returns the ids of a searchable document, and of a vector store with a file of the same text */
async function stored(service) {
  const lines = Array.from(
    { length: 60 },
    (_, index) =>
      `In ${1880 + index} the keeper of the lighthouse trimmed the lamp every evening at dusk. He noted the wind and the ships in his log.`,
  );
  const content = lines.join('\n\n');
  const metadata = { kind: 'log', year: 1940 };
  const { external_id: document } = await service('POST', '/ingest/text', {
    content,
    metadata,
    filename: 'log.txt',
  });
  await finished(() => service('GET', `/documents/${document}/status?wait=30`));
  const form = new FormData();
  form.set('purpose', 'assistants');
  form.set('file', new Blob([content]), 'log.txt');
  const { id: file } = await service('POST', '/v1/files', form);
  const { id: store } = await service('POST', '/v1/vector_stores', { name: 'logs' });
  await service('POST', `/v1/vector_stores/${store}/files`, { file_id: file });
  await finished(() => service('GET', `/v1/vector_stores/${store}/files/${file}?wait=30`));
  return { document, store };
}

async function finished(read) {
  for (;;) {
    const { status, error, last_error: lastError } = await read();
    if (status === 'failed') throw new Error(error ?? lastError?.message);
    if (status === 'completed') return;
  }
}
