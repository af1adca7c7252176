import { readPages } from '../dataset.mjs';
import { byBestChunk, ndcg, recall } from '../../dist/cli/evaluation.js';
import { ingestFiles } from '../ingest.mjs';
import { openHome } from '../service.mjs';
import { searchByWords } from '../words-alone.mjs';

/** Results per question: enough for ten pages of several chunks each. */
const K = 100;

/** Measures retrieval of pages: asks questions about reports, and searches all reports without a filter. */
export const pages = {
  name: 'pages',
  about: 'nDCG@10 and recall@10 of pages of PDFs, by words alone and by their best passage',

  async run({ databaseUrl, say }) {
    const collection = readPages();
    if (collection === undefined) {
      return { skipped: 'no questions.jsonl with its PDFs in the folder pdf of LECTERN_DATASETS' };
    }
    const { questions } = collection;
    const rows = [];
    const sizes = { questions: questions.length };
    for (const context of ['off', 'on']) {
      const home = await openHome(databaseUrl);
      try {
        const service = await home.start({ CHUNK_CONTEXT: context });
        say(`context ${context}: ingesting ${collection.files.length} files`);
        const { chunks, seconds } = await ingestFiles(service, collection);
        sizes[`context ${context}`] = `${chunks} chunks in ${Math.round(seconds)} s`;
        const search = async (query) => {
          const found = await service.call('/retrieve/chunks', { k: K, query });
          return found.map(({ filename, metadata }) => [filename, metadata.page_number]);
        };
        rows.push([`best passage, context ${context}`, ...(await evaluate(search, questions))]);
        await service.stop();
        if (context === 'off') continue;
        const words = await searchByWords(home);
        rows.unshift(['words alone (BM25)', ...(await evaluate(words.search, questions))]);
        await words.close();
      } finally {
        await home.close();
      }
    }
    return { sizes, columns: ['found by', 'nDCG@10', 'recall@10', 'document first'], rows };
  },
};

/**
 * Means over the questions.
 *
 * @param search function from a question to file and page of each result
 */
async function evaluate(search, questions) {
  const totals = [0, 0, 0];
  for (const { text, document, grades } of questions) {
    const places = await search(text);
    const ranking = byBestChunk(places.map(([file, page]) => `${file}/${page}`));
    totals[0] += ndcg(ranking, grades, 10);
    totals[1] += recall(ranking, grades, 10);
    totals[2] += places[0]?.[0] === document ? 1 : 0;
  }
  return totals.map((sum) => sum / questions.length);
}
