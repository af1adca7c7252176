import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPages } from '../dataset.mjs';
import { byBestChunk, ndcg, recall } from '../../dist/cli/eval/ranking-metrics.js';
import { openHome } from '../service.mjs';

/** Chunks a question: enough for ten pages of several chunks each. */
const K = 100;
const POLL_MS = 200;

/** Questions about reports to the page with the evidence, all reports in one pool and without a filter. */
export const pages = {
  name: 'pages',
  about: 'nDCG@10 and recall@10 of pages of PDFs, with the context of chunks and without it',

  async run({ databaseUrl, say }) {
    const collection = readPages();
    if (collection === undefined) {
      return { skipped: 'no questions.jsonl with its PDFs in the folder pdf of LECTERN_DATASETS' };
    }
    const rows = [];
    const sizes = {};
    for (const context of ['off', 'on']) {
      const home = await openHome(databaseUrl);
      try {
        for (const retrieval of ['hybrid', 'dense']) {
          const service = await home.start({ CHUNK_CONTEXT: context, RETRIEVAL: retrieval });
          if (retrieval === 'hybrid') {
            say(`context ${context}: ingesting ${collection.files.length} files`);
            const { chunks, seconds } = await ingestFiles(service, collection);
            sizes[`context ${context}`] = `${chunks} chunks, ${(chunks / seconds).toFixed(1)} texts/s`;
          }
          say(`context ${context}: ${retrieval}`);
          rows.push([`context ${context}, ${retrieval}`, ...(await evaluate(service, collection.questions))]);
          await service.stop();
        }
      } finally {
        await home.close();
      }
    }
    sizes.questions = collection.questions.length;
    return { sizes, columns: ['chunks', 'nDCG@10', 'recall@10', 'document first'], rows };
  },
};

async function ingestFiles(service, { folder, files }) {
  const begun = performance.now();
  const ids = [];
  for (const name of files) {
    const form = new FormData();
    form.append('file', new Blob([readFileSync(join(folder, name))]), name);
    const headers = { Authorization: `Bearer ${service.key}` };
    const answer = await fetch(`${service.base}/ingest/file`, { method: 'POST', headers, body: form });
    if (!answer.ok) throw new Error(`${name} was answered ${answer.status}: ${await answer.text()}`);
    ids.push((await answer.json()).external_id);
  }
  let chunks = 0;
  for (const id of ids) chunks += await chunksOf(service, id);
  return { chunks, seconds: (performance.now() - begun) / 1_000 };
}

/** The number of a document's chunks once it is completed. */
async function chunksOf(service, id) {
  for (;;) {
    const { system_metadata: system } = await service.call(`/documents/${id}`);
    if (system.status === 'completed') return system.chunk_count;
    if (system.status === 'failed') throw new Error(`a file failed: ${system.error}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Means over the questions. */
async function evaluate(service, questions) {
  const totals = [0, 0, 0];
  for (const { text, document, grades } of questions) {
    const found = await service.call('/retrieve/chunks', { query: text, k: K });
    const ranking = byBestChunk(found.map(({ filename, metadata }) => `${filename}/${metadata.page_number}`));
    totals[0] += ndcg(ranking, grades, 10);
    totals[1] += recall(ranking, grades, 10);
    totals[2] += found[0]?.filename === document ? 1 : 0;
  }
  return totals.map((sum) => sum / questions.length);
}
