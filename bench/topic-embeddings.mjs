import { fakeVector, startFakeEmbeddings } from '../test/support/fake-embeddings.mjs';
import { randomSource } from './random-source.mjs';

export const DIMENSIONS = 384;

/** Topic vectors span few dimensions, as in real models, so that some topics are close to each other. */
const TOPIC_DIMENSIONS = 30;
/** Weights in a vector: of a word's topic, of the word itself, and of a word without a topic. */
const TOPIC_WEIGHT = 0.3;
const WORD_WEIGHT = 0.6;
const COMMON_WEIGHT = 0.25;

const directions = Array.from({ length: TOPIC_DIMENSIONS }, (_, index) => gaussian(1_000 + index));
const topics = new Map();
const words = new Map();

/**
 * An embedder for the synthetic corpus: texts on one topic are close, and closer if they share words. If words had no
 * topics, their vectors would form no neighbourhoods, and a search could not navigate the HNSW graph.
 */
export function topicVector(text) {
  const sum = new Float64Array(DIMENSIONS);
  for (const word of text.split(' ')) add(sum, wordVector(word), 1);
  const length = Math.hypot(...sum);
  return Array.from(sum, (value) => Number((value / length).toPrecision(6)));
}

/** The same embedder as an OpenAI-compatible endpoint. */
export function startTopicEmbeddings() {
  return startFakeEmbeddings({ vectorOf: topicVector });
}

/** Settings of a service that uses this endpoint, or another endpoint with the same number of dimensions. */
export function settingsFor({ url }) {
  return {
    EMBEDDING_MODEL: 'openai/fake',
    EMBEDDING_API_BASE: url,
    EMBEDDING_API_KEY: 'none',
    EMBEDDING_DIMENSIONS: String(DIMENSIONS),
  };
}

function wordVector(word) {
  const known = words.get(word) ?? weighted(word);
  words.set(word, known);
  return known;
}

function weighted(word) {
  const topic = /^t(\d+)x/.exec(word)?.[1];
  const sum = new Float64Array(DIMENSIONS);
  add(sum, unit(fakeVector(word, DIMENSIONS).with(0, 0)), topic === undefined ? COMMON_WEIGHT : WORD_WEIGHT);
  if (topic !== undefined) add(sum, topicDirection(Number(topic)), TOPIC_WEIGHT);
  return sum;
}

function topicDirection(topic) {
  const known = topics.get(topic) ?? combination(topic);
  topics.set(topic, known);
  return known;
}

function combination(topic) {
  const random = randomSource(topic);
  const sum = new Float64Array(DIMENSIONS);
  for (const direction of directions) add(sum, direction, normal(random));
  return unit(sum);
}

function gaussian(seed) {
  const random = randomSource(seed);
  return unit(Array.from({ length: DIMENSIONS }, () => normal(random)));
}

/** Box-Muller transform. */
function normal(random) {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function add(sum, vector, weight) {
  for (let index = 0; index < DIMENSIONS; index += 1) sum[index] += weight * vector[index];
}

function unit(vector) {
  const length = Math.hypot(...vector) || 1;
  return Float64Array.from(vector, (value) => value / length);
}
