import { readPages } from '../dataset.mjs';
import { byBestChunk, ndcg, recall } from '../../dist/cli/eval/ranking-metrics.js';
import { ingestFiles } from '../ingest.mjs';
import { openHome } from '../service.mjs';

/** Chunks a question: enough for ten pages of several chunks each. */
const K = 100;

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
