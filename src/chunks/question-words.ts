import { keysFor, LEVEL_CEILINGS, LEVELS } from './inverted-index.js';

/** A term of a question, with the chunks of the tenant that hold it, by the level of its impact there. */
export interface AskedTerm {
  readonly number: number;
  readonly holding: readonly number[];
  /** Whether it is of an identifier that the embedding model cannot read. */
  readonly isIdentifier: boolean;
}

/**
 * How much more such an identifier counts than the other words of a question, which the vector knows as well: with 6 to 10 it
 * is found among many others, and ranking is the same otherwise (docs/performance.md).
 */
const IDENTIFIER_WEIGHT = 10;

/** All keys that terms may have, level by level: what is counted to weigh them. */
export function keysOf(appId: string, terms: readonly number[]): bigint[] {
  const keyOf = keysFor(appId);
  return terms.flatMap((term) => Array.from({ length: LEVELS }, (_, level) => keyOf(term, level)));
}

/**
 * @param counts chunks under each of the keys that `keysOf` gives for the terms
 * @param identifiers those of the terms that are of identifiers which the embedding model cannot read
 */
export function askedTerms(
  terms: readonly number[],
  counts: readonly number[],
  identifiers: readonly number[],
): AskedTerm[] {
  return terms.map((number, at) => ({
    number,
    holding: counts.slice(at * LEVELS, (at + 1) * LEVELS),
    isIdentifier: identifiers.includes(number),
  }));
}

/** The words of a question against the corpus of a tenant. */
export interface QuestionWords {
  /** Inverse document frequency by term number: BM25 of a chunk is its inner product with the chunk's impacts. */
  readonly idf: ReadonlyMap<number, number>;
  /** The largest BM25 that any chunk could reach, terms that no chunk holds included. It depends on question and corpus alone. */
  readonly bound: number;
  /** Keys of the inverted index that are read for candidates. */
  readonly keys: readonly bigint[];
  /** The most BM25 that a chunk under none of these keys may have. */
  readonly unread: number;
}

/** Of a longer question's terms so many count. */
const MAX_TERMS = 256;

/**
 * Inverse document frequency in Lucene's form, ln(1 + (N - n + 0.5) / (n + 0.5)): never negative.
 * @param holding number of chunks that hold the term (n)
 * @param total number of chunks (N)
 */
export function inverseDocumentFrequency(holding: number, total: number): number {
  return Math.log(1 + (total - holding + 0.5) / (holding + 0.5));
}

/**
 * Weighs the words of a question, and chooses what is read of the inverted index: the keys that can add most to a score,
 * as long as they lead to no more than `most` chunks, but one in any case.
 * @param total chunks of the tenant
 */
export function questionWords(
  appId: string,
  asked: readonly AskedTerm[],
  total: number,
  most: number,
): QuestionWords {
  const terms = countingTerms(asked).map(({ number, holding, isIdentifier }) => {
    const idf = inverseDocumentFrequency(sum(holding), total) * (isIdentifier ? IDENTIFIER_WEIGHT : 1);
    return { number, holding, idf };
  });
  const lists = terms
    .flatMap(({ number, holding, idf }) =>
      holding.map((count, level) => ({ number, level, count, adds: idf * (LEVEL_CEILINGS[level] ?? 1) })),
    )
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.adds - one.adds);
  const keyOf = keysFor(appId);
  const keys: bigint[] = [];
  const unread = new Map<number, number>();
  let read = 0;
  for (const { number, level, count, adds } of lists) {
    if (read > 0 && read + count > most) {
      unread.set(number, Math.max(adds, unread.get(number) ?? 0));
    } else {
      keys.push(keyOf(number, level));
      read += count;
    }
  }
  const bound = sum(terms.map(({ idf }) => idf));
  return {
    idf: new Map(terms.map(({ number, idf }) => [number, idf])),
    bound,
    keys,
    unread: read > most ? bound : sum([...unread.values()]),
  };
}

/** The rarest terms of a question, of those that some chunk holds before the others. */
function countingTerms(asked: readonly AskedTerm[]): readonly AskedTerm[] {
  if (asked.length <= MAX_TERMS) return asked;
  const frequency = ({ holding }: AskedTerm): number => sum(holding) || Number.MAX_VALUE;
  return asked.toSorted((one, other) => frequency(one) - frequency(other)).slice(0, MAX_TERMS);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
