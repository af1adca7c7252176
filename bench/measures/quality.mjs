import { loadBareModel } from '../bare-model.mjs';
import { datasets, readDataset } from '../dataset.mjs';
import { countChunks, ingest } from '../ingest.mjs';
import { byBestChunk, ndcg, recall } from '../../dist/cli/evaluation.js';
import { openHome } from '../service.mjs';
import { searchByWords } from '../words-alone.mjs';

const COLLECTIONS = ['scifact', 'msmarco5k'];
/** Chunks per query: enough for 100 documents of several chunks each. Scores do not depend on this number. */
const K = 300;
const SLICES = 4;
/** Number of documents per slice whose chunks the bare model also embeds. */
const SAMPLE = 60;

/** Measures ranking quality and ingestion speed on judged collections, over HTTP. */
export const quality = {
  name: 'quality',
  about:
    'nDCG@10 and recall over judged collections, hybrid compared with dense alone and BM25 alone; documents per second',

  async run(context) {
    const collections = COLLECTIONS.map((name) => readDataset(name)).filter(
      (collection) => collection !== undefined,
    );
    if (collections.length === 0) {
      return { skipped: `neither ${COLLECTIONS.join(' nor ')} is in ${datasets}; set LECTERN_DATASETS` };
    }
    const sizes = {};
    const rows = [];
    const ratios = [];
    for (const collection of collections) {
      const { chunks, measured, speed } = await measure(collection, context);
      sizes[collection.name] =
        `${collection.documents.length} documents, ${chunks} chunks, ${collection.queries.length} judged queries`;
      for (const [side, figures] of measured) rows.push([collection.name, side, ...figures]);
      ratios.push(`${collection.name}: ${speed}`);
    }
    return { sizes, columns: ['collection', 'ranking', 'nDCG@10', 'recall@10', 'recall@100'], rows, ratios };
  },
};

async function measure(collection, { databaseUrl, say }) {
  const home = await openHome(databaseUrl);
  try {
    let service = await home.start();
    const ingestion = await ingestInSlices(service, collection, say);
    const measured = [];
    say(`${collection.name}: hybrid`);
    measured.push(['hybrid', await evaluate(collection, throughApi(service))]);
    await service.stop();
    say(`${collection.name}: dense alone`);
    service = await home.start({ RETRIEVAL: 'dense' });
    measured.push(['dense alone', await evaluate(collection, throughApi(service))]);
    await service.stop();
    say(`${collection.name}: BM25 alone`);
    const words = await searchByWords(home);
    const byWords = async (query) => byBestChunk((await words.search(query)).map(([name]) => name));
    measured.push(['BM25 alone', await evaluate(collection, byWords)]);
    await words.close();
    return { chunks: ingestion.chunks, measured, speed: describeSpeed(collection, ingestion) };
  } finally {
    await home.close();
  }
}

/** Alternates between service and bare model in slices, so that both run under the same conditions. */
async function ingestInSlices(service, { name, documents }, say) {
  const bare = await loadBareModel();
  const total = { seconds: 0, chunks: 0, bareSeconds: 0, bareTexts: 0 };
  const length = Math.ceil(documents.length / SLICES);
  for (let slice = 0; slice < SLICES; slice += 1) {
    say(`${name}: ingesting part ${slice + 1} of ${SLICES}`);
    const part = documents.slice(slice * length, (slice + 1) * length);
    const bodies = part.map(({ id, text }) => ({ content: text, filename: id, metadata: { doc: id } }));
    total.seconds += (await ingest(service, bodies)).seconds;
    const texts = await chunkTexts(service, everyNth(part, Math.ceil(part.length / SAMPLE)));
    total.bareSeconds += await bare.time(texts);
    total.bareTexts += texts.length;
  }
  await bare.release();
  total.chunks = await countChunks(service);
  return total;
}

function everyNth(list, n) {
  return list.filter((_, index) => index % n === 0);
}

/** The texts that the service has embedded for some documents. Finds all chunks of the documents by a filter. */
async function chunkTexts(service, documents) {
  const texts = [];
  for (const { id, text } of documents) {
    const found = await service.call('/retrieve/chunks', {
      query: text.slice(0, 200),
      filters: { doc: id },
      k: 1000,
    });
    texts.push(...found.map(({ content }) => content));
  }
  return texts;
}

function throughApi(service) {
  return async (query) => {
    const found = await service.call('/retrieve/chunks', { query, k: K });
    return byBestChunk(found.map(({ filename }) => filename));
  };
}

/** Means over the judged queries. @param search function from a query to document ids, best first */
async function evaluate({ queries }, search) {
  const totals = [0, 0, 0];
  for (const { text, grades } of queries) {
    const ranking = await search(text);
    totals[0] += ndcg(ranking, grades, 10);
    totals[1] += recall(ranking, grades, 10);
    totals[2] += recall(ranking, grades, 100);
  }
  return totals.map((sum) => sum / queries.length);
}

function describeSpeed({ documents }, { seconds, chunks, bareSeconds, bareTexts }) {
  const service = chunks / seconds;
  const bare = bareTexts / bareSeconds;
  return (
    `ingested ${(documents.length / seconds).toFixed(1)} documents/s, ${service.toFixed(1)} texts/s; ` +
    `the bare model embeds ${bare.toFixed(1)} of these texts/s (${bareTexts} of them, taking turns): ` +
    `${Math.round((100 * service) / bare)}%`
  );
}
