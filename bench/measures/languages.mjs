import { existsSync, readdirSync } from 'node:fs';
import { byBestChunk, reciprocalRank } from '../../dist/cli/evaluation.js';
import { languages, readDataset } from '../dataset.mjs';
import { ingest } from '../ingest.mjs';
import { BUNDLED } from '../models.mjs';
import { openHome } from '../service.mjs';
import { searchByWords } from '../words-alone.mjs';

/** Questions per language, evenly spaced. */
const QUESTIONS = Number(process.env.BENCH_QUERIES ?? 397);
const PARAGRAPHS = Number(process.env.BENCH_PASSAGES ?? Infinity);
const DEPTH = 10;
/** Chunks per query: enough for ten paragraphs of several chunks each. */
const K = 50;

/**
 * Searches the same paragraphs with the same questions in several languages, over HTTP. Compares hybrid search within a
 * language with BM25 alone and with vectors alone. Also measures hybrid search with questions in another language
 * (English if available).
 */
export const languageQuality = {
  name: 'languages',
  about: `MRR@${DEPTH} of the paragraph that answers a question, in several languages and across languages, with both bundled models: hybrid, words alone and vectors alone`,

  async run({ databaseUrl, say }) {
    const collections = (existsSync(languages) ? readdirSync(languages).sort() : [])
      .map((name) => readDataset(name, languages))
      .filter((collection) => collection !== undefined)
      .map(shortened);
    if (collections.length === 0) return { skipped: `no language is in ${languages}; set LECTERN_DATASETS` };
    const rows = [];
    for (const collection of collections) {
      const other = otherFor(collection, collections);
      for (const [model, settings] of BUNDLED) {
        say(`${collection.name}: ${model}`);
        rows.push([collection.name, model, ...(await measure({ collection, other, settings, databaseUrl }))]);
      }
    }
    return {
      sizes: {
        languages: collections.map(({ name }) => name).join(', '),
        paragraphs: collections[0].documents.length,
        questions: collections[0].queries.length,
      },
      columns: [
        'paragraphs in',
        'model',
        'hybrid',
        'words alone',
        'vectors alone',
        'question language',
        'hybrid, question in that language',
      ],
      rows,
      ratios: BUNDLED.map(([model]) => {
        const own = rows.filter((row) => row[1] === model && row[0] !== 'en').map((row) => row[2]);
        return `${model}, mean of the languages other than English: ${(own.reduce((sum, x) => sum + x, 0) / own.length).toFixed(3)}`;
      }),
    };
  },
};

function shortened({ name, documents, queries }) {
  const kept = documents.slice(0, PARAGRAPHS);
  const ids = new Set(kept.map(({ id }) => id));
  const answerable = queries.filter(({ grades }) => [...grades.keys()].some((id) => ids.has(id)));
  const step = Math.max(1, answerable.length / QUESTIONS);
  const asked = Array.from(
    { length: Math.min(QUESTIONS, answerable.length) },
    (_, at) => answerable[Math.floor(at * step)],
  );
  return { name, documents: kept, queries: asked };
}

/**
 * Another language for the questions: English or, if the language is English or there is no English collection, the
 * next language. Documents and questions have the same ids in all languages.
 */
function otherFor({ name }, collections) {
  const english = collections.find((one) => one.name === 'en');
  if (english !== undefined && name !== 'en') return english;
  const at = collections.findIndex((one) => one.name === name);
  return collections[(at + 1) % collections.length];
}

async function measure({ collection, other, settings, databaseUrl }) {
  const home = await openHome(databaseUrl);
  try {
    let service = await home.start(settings);
    await ingest(
      service,
      collection.documents.map(({ id, text }) => ({ content: text, filename: id })),
    );
    const fused = await meanRank(collection.queries, throughApi(service));
    const across = await meanRank(other.queries, throughApi(service));
    await service.stop();
    service = await home.start({ ...settings, RETRIEVAL: 'dense' });
    const dense = await meanRank(collection.queries, throughApi(service));
    await service.stop();
    const words = await searchByWords(home);
    const lexical = await meanRank(collection.queries, async (query) =>
      (await words.search(query)).map(([name]) => name),
    );
    await words.close();
    return [fused, lexical, dense, across, other.name];
  } finally {
    await home.close();
  }
}

function throughApi(service) {
  return async (query) =>
    (await service.call('/retrieve/chunks', { query, k: K })).map(({ filename }) => filename);
}

/** @param search function from a query to document ids, best first, one per chunk */
async function meanRank(queries, search) {
  let sum = 0;
  for (const { text, grades } of queries) {
    sum += reciprocalRank(byBestChunk(await search(text)).slice(0, DEPTH), grades);
  }
  return sum / queries.length;
}
