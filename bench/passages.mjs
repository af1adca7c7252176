import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { datasets, readDataset } from './dataset.mjs';
import { randomSource } from './random-source.mjs';
import { openHome } from './service.mjs';

const COLLECTIONS = ['scifact', 'msmarco5k'];
export const PASSAGE_DIMENSIONS = 384;
/** All sides use one chunk per passage, truncated to this length. */
const CHARACTERS = 900;
const TEXTS_A_CALL = 64;
const KNOWN = new URL('results/passage-vectors-', import.meta.url);
/** Distance between the vector of a new question and the vector of the judged question from which it is derived. */
const NOISE = 0.2;

/**
 * All passages of the judged collections in one pool, their questions, and vectors of the bundled model for both. The
 * vectors take minutes to compute, so they are cached beside the results.
 *
 * @returns undefined if no collection exists
 */
export async function readPassages(say) {
  const collections = COLLECTIONS.map((name) => readDataset(name)).filter((one) => one !== undefined);
  if (collections.length === 0) return undefined;
  const passages = collections.flatMap(({ name, documents }) =>
    documents.map(({ id, text }) => ({ id: `${name}-${id}`, text: text.slice(0, CHARACTERS).trim() })),
  );
  const questions = collections.flatMap(({ name, queries }) =>
    queries.map(({ text, grades }) => ({
      collection: name,
      text,
      grades: new Map(Array.from(grades, ([id, grade]) => [`${name}-${id}`, grade])),
    })),
  );
  const texts = [...passages, ...questions].map(({ text }) => text);
  const vectors = await vectorsOf(texts, say);
  const withVectors = (list, from) => list.map((each, at) => ({ ...each, vector: vectors[from + at] }));
  return {
    collections: collections.map(({ name }) => name),
    passages: withVectors(passages, 0).map((passage, at) => ({ ...passage, metadata: metadataOf(at) })),
    questions: withVectors(questions, passages.length),
  };
}

/** Boolean fields that are set at random. The number n after a name sets the field in one of n passages. */
export const SHARES = { tenth: 10, hundredth: 100, thousandth: 1_000 };

function metadataOf(at) {
  const random = randomSource(at + 1);
  random();
  const number = random();
  return Object.fromEntries(Object.entries(SHARES).map(([name, part]) => [name, number < 1 / part]));
}

/** Makes unseen questions: a judged question with one more word, and a vector near that of the judged question. */
export function newQuestions({ questions, passages }, seed) {
  const random = randomSource(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  return () => {
    const question = pick(questions);
    const passage = pick(passages);
    const word = pick(passage.text.split(/\s+/u));
    return { text: `${question.text} ${word}`, vector: between(question.vector, passage.vector, NOISE) };
  };
}

/** Returns a function from a text to its vector. A new question gets a vector near that of its judged question. */
export function vectorFinder({ passages, questions }) {
  const known = new Map([...passages, ...questions].map(({ text, vector }) => [text, vector]));
  const byEnd = new Map(passages.map(({ text, vector }) => [text.slice(-80), vector]));
  return (text) => {
    const exact = known.get(text) ?? byEnd.get(text.trim().slice(-80));
    if (exact !== undefined) return exact;
    const question = text.slice(0, text.lastIndexOf(' '));
    const near = known.get(question);
    if (near === undefined) throw new Error(`no vector for "${text.slice(0, 100)}"`);
    const { vector } = passages[text.length % passages.length];
    return between(near, vector, NOISE);
  };
}

function between(one, other, weight) {
  const sum = one.map((value, at) => value + weight * other[at]);
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
}

async function vectorsOf(texts, say) {
  const file = new URL(`${KNOWN.href}${texts.length}.f32`);
  if (!existsSync(file)) {
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, await embedded(texts, say));
  }
  const bytes = readFileSync(file);
  const all = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  return texts.map((_, at) => all.slice(at * PASSAGE_DIMENSIONS, (at + 1) * PASSAGE_DIMENSIONS));
}

async function embedded(texts, say) {
  const home = await openHome(undefined);
  try {
    const service = await home.start({ EMBEDDING_MODEL: 'local' });
    const vectors = new Float32Array(texts.length * PASSAGE_DIMENSIONS);
    for (let start = 0; start < texts.length; start += TEXTS_A_CALL) {
      if (start % (32 * TEXTS_A_CALL) === 0) say(`vectors of ${start} of ${texts.length} texts`);
      const input = texts.slice(start, start + TEXTS_A_CALL);
      const { data } = await service.call('/v1/embeddings', { model: 'all-MiniLM-L6-v2', input });
      data.forEach(({ embedding }, at) => vectors.set(embedding, (start + at) * PASSAGE_DIMENSIONS));
    }
    return vectors;
  } finally {
    await home.close();
  }
}

/** The message if no data set exists. */
export const NO_PASSAGES = `neither ${COLLECTIONS.join(' nor ')} is in ${datasets}; set LECTERN_DATASETS`;
