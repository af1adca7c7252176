import { randomSource } from './random-source.mjs';

export const PAGE_DIMENSIONS = 128;

/** Number of words, each with a vector. */
const WORDS = 20_000;
/** Number of topics. Each topic has words that its pages use more often than other pages. */
const TOPICS = 200;
const WORDS_OF_TOPIC = 300;
const NOISES = 5_000;

/** Weights in a page vector: topic, page, word, and noise. */
const WEIGHTS = { topic: 0.35, page: 0.35, word: 0.8, noise: 0.3 };

/**
 * Pages of many vectors, as late-interaction models make them: vectors of one page are similar, those of one topic less
 * similar, and a word has almost the same vector on all pages. Deterministic.
 */
export class SyntheticPages {
  constructor(vectorsEach) {
    this.vectorsEach = vectorsEach;
    this.words = Array.from({ length: WORDS }, (_, word) => direction(1_000_000 + word));
    this.topics = Array.from({ length: TOPICS }, (_, topic) => direction(2_000_000 + topic));
    this.noises = Array.from({ length: NOISES }, (_, noise) => direction(7_000_000 + noise));
  }

  /** @returns `dims`, and `vectors` in one array, one after the other, each of length 1 */
  page(number) {
    const random = randomSource(3_000_000 + number);
    return this.drawn(number, random, this.wordsOf(number, this.vectorsEach));
  }

  /** A question about a page: some of its words in another context. */
  question(number, length) {
    const random = randomSource(4_000_000 + number);
    const words = this.wordsOf(number, this.vectorsEach).filter(() => random() < 0.5);
    return this.drawn(number, random, words.slice(0, length));
  }

  wordsOf(number, count) {
    const random = randomSource(5_000_000 + number);
    const topic = number % TOPICS;
    return Array.from({ length: count }, () => {
      // Word frequencies follow Zipf's law.
      const rank = Math.floor((random() < 0.5 ? WORDS : WORDS_OF_TOPIC) ** random()) - 1;
      return rank < WORDS_OF_TOPIC && random() < 0.5 ? (rank * TOPICS + topic * 7_919) % WORDS : rank;
    });
  }

  drawn(number, random, words) {
    const vectors = new Float32Array(words.length * PAGE_DIMENSIONS);
    const topic = this.topics[number % TOPICS];
    const own = direction(6_000_000 + number);
    for (const [row, word] of words.entries()) {
      const vector = vectors.subarray(row * PAGE_DIMENSIONS, (row + 1) * PAGE_DIMENSIONS);
      const noise = this.noises[Math.floor(random() * NOISES)];
      for (let d = 0; d < PAGE_DIMENSIONS; d += 1) {
        vector[d] =
          WEIGHTS.topic * topic[d] +
          WEIGHTS.page * own[d] +
          WEIGHTS.word * this.words[word][d] +
          WEIGHTS.noise * noise[d];
      }
      const length = Math.hypot(...vector);
      for (let d = 0; d < PAGE_DIMENSIONS; d += 1) vector[d] /= length;
    }
    return { dims: PAGE_DIMENSIONS, vectors };
  }
}

/** A direction derived from a number. */
function direction(seed) {
  const random = randomSource(seed);
  const vector = new Float32Array(PAGE_DIMENSIONS);
  for (let d = 0; d < PAGE_DIMENSIONS; d += 1) {
    vector[d] = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  }
  const length = Math.hypot(...vector);
  return vector.map((x) => x / length);
}
