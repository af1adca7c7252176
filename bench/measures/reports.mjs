import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { readPages } from '../dataset.mjs';
import { ingestFiles } from '../ingest.mjs';
import { percentile } from '../report.mjs';
import { openHome } from '../service.mjs';

const THREADS = (process.env.BENCH_THREADS ?? `1,${availableParallelism()}`).split(',').map(Number);
/** Milliseconds between two questions. */
const ASKED_EVERY_MS = 250;

/** Measures how fast reports are read and embedded by the bundled model, and how long questions wait meanwhile. */
export const reports = {
  name: 'reports',
  about:
    'pages per second of PDF reports that are embedded by the bundled model, by the number of threads (BENCH_THREADS), and searches meanwhile',

  async run({ databaseUrl, say }) {
    const collection = readPages();
    if (collection === undefined) {
      return { skipped: 'no questions.jsonl with its PDFs in the folder pdf of LECTERN_DATASETS' };
    }
    const rows = [];
    for (const threads of THREADS) {
      const home = await openHome(databaseUrl);
      try {
        const service = await home.start({ EMBEDDING_THREADS: String(threads) });
        await service.call('/ingest/text', { content: 'The model is loaded by this text.' });
        say(`${threads} threads: ${collection.files.length} files`);
        const asking = askUntilStopped(service, collection.questions);
        const { chunks, seconds } = await ingestFiles(service, collection);
        const waits = await asking.stop();
        const pages = await countPages(service);
        rows.push([threads, pages / seconds, chunks / seconds, percentile(waits, 50), percentile(waits, 95)]);
        await service.stop();
      } finally {
        await home.close();
      }
    }
    return {
      sizes: { files: collection.files.length },
      columns: ['threads', 'pages/s', 'chunks/s', 'search meanwhile, p50 ms', 'p95'],
      rows,
    };
  },
};

/** Asks one question after the other. `stop` resolves to the duration of each search in milliseconds. */
function askUntilStopped(service, questions) {
  const waits = [];
  let stopped = false;
  const asked = (async () => {
    for (let number = 0; !stopped; number += 1) {
      const begun = performance.now();
      const query =
        questions[number % questions.length].text + ' '.repeat(Math.floor(number / questions.length));
      await service.call('/retrieve/chunks', { query, k: 4 });
      waits.push(performance.now() - begun);
      await pause(ASKED_EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await asked;
      return waits;
    },
  };
}

async function countPages(service) {
  const { documents } = await service.call('/documents', { limit: 1_000 });
  return documents.reduce((sum, { system_metadata: system }) => sum + (system.page_count ?? 0), 0);
}
