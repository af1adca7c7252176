import { fileURLToPath } from 'node:url';
import { fused, readChunks, wordScores } from '../context-parts.mjs';
import { readPages } from '../dataset.mjs';
import { DENSE_ONLY, HYBRID } from '../../dist/chunks/fusion.js';
import { byBestChunk, ndcg, recall } from '../../dist/cli/eval/ranking-metrics.js';
import { LocalTextModel } from '../../dist/embedding/local/local-text-model.js';
import { titleOfContent } from '../../dist/parsing/document-title.js';
import { embeddedText } from '../../dist/splitting/context.js';

const MODEL = fileURLToPath(new URL('../../models/all-MiniLM-L6-v2/', import.meta.url));
const BATCH = 32;

/** What a document may be called. */
const TITLES = {
  'file name': (name) => titleOfContent({ properties: {}, text: '', pageCount: 1 }, name),
  title: (_name, document) => titleOfContent(document, null),
  both: (name, document) => titleOfContent(document, name),
};

const WHOLE = { title: 'both', headings: true, table: true };

/** Parts of a context in the embedding, and in the words. */
const VARIANTS = [
  ['none', {}, {}],
  ['title', { title: 'title' }, {}],
  ['file name', { title: 'file name' }, {}],
  ['file name and title', { title: 'both' }, {}],
  ['headings', { headings: true }, {}],
  ['table', { table: true }, {}],
  ['all', WHOLE, {}],
  ['all; table in the words', WHOLE, { table: true }],
  ['all; file name and title in the words', WHOLE, { title: 'both' }],
  ['all, in the words too', WHOLE, WHOLE],
];

/** Each part of the context on its own, over the same chunks: exact scores in memory, without the service. */
export const contexts = {
  name: 'contexts',
  about:
    'nDCG@10 and recall@10 of pages of PDFs with each part of the context of chunks, embedded and indexed',

  async run({ say }) {
    const collection = readPages();
    if (collection === undefined) {
      return { skipped: 'no questions.jsonl with its PDFs in the folder pdf of LECTERN_DATASETS' };
    }
    const { questions } = collection;
    const chunks = await readChunks(collection, TITLES);
    const model = new LocalTextModel(MODEL);
    await model.start();
    try {
      const queries = await model.embed(
        questions.map(({ text }) => text),
        { urgent: true },
      );
      const vectorOf = new Map();
      const rows = [];
      for (const [name, embedded, indexed] of VARIANTS) {
        say(name);
        const texts = chunks.map(({ content, context }) => embeddedText(context(embedded), content));
        await embedNew(model, texts, vectorOf);
        const vectors = texts.map((text) => vectorOf.get(text));
        const words = wordScores(
          chunks.map(({ content, context }) => embeddedText(context(indexed), content)),
        );
        const figures = [HYBRID, DENSE_ONLY].flatMap((weights) =>
          evaluate(questions, (question, at) =>
            fused(queries[at], vectors, words(question), weights).map((index) => chunks[index].page),
          ),
        );
        rows.push([name, ...figures]);
      }
      return {
        sizes: { chunks: chunks.length, questions: questions.length },
        columns: ['context', 'hybrid nDCG@10', 'recall@10', 'dense nDCG@10', 'recall@10'],
        rows,
      };
    } finally {
      await model.onApplicationShutdown();
    }
  },
};

/** Texts that other variants have too are embedded once. */
async function embedNew(model, texts, vectorOf) {
  const unknown = [...new Set(texts)].filter((text) => !vectorOf.has(text));
  for (let start = 0; start < unknown.length; start += BATCH) {
    const batch = unknown.slice(start, start + BATCH);
    const vectors = await model.embed(batch, { urgent: true });
    for (const [index, text] of batch.entries()) vectorOf.set(text, vectors[index]);
  }
}

function evaluate(questions, search) {
  const totals = [0, 0];
  for (const [at, { text, grades }] of questions.entries()) {
    const ranking = byBestChunk(search(text, at));
    totals[0] += ndcg(ranking, grades, 10);
    totals[1] += recall(ranking, grades, 10);
  }
  return totals.map((sum) => sum / questions.length);
}
