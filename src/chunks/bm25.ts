import { hash32, type Impacts } from '../lexical/impacts.js';

/** A term of a question with its document frequencies by impact level. */
export interface QueryTerm {
  readonly number: number;
  readonly frequencies: readonly number[];
  /** Whether it belongs to an identifier that the embedding model cannot read. */
  readonly isIdentifier: boolean;
}

/**
 * Weight of such an identifier. The vector represents the other words of the question too, but not the identifier. From 6
 * to 10, identifiers rank first among many similar ones and other rankings stay the same (docs/project/performance.md).
 */
const IDENTIFIER_WEIGHT = 10;

/** All keys of the terms, level by level, for counting document frequencies. */
export function keysOf(appId: string, terms: readonly number[]): bigint[] {
  const keyOf = keysFor(appId);
  return terms.flatMap((term) => Array.from({ length: LEVELS }, (_, level) => keyOf(term, level)));
}

/**
 * @param counts document frequency of each key that `keysOf` returns for the terms
 * @param identifiers the subset of `terms` from identifiers that the embedding model cannot read
 */
export function queryTermsOf(
  terms: readonly number[],
  counts: readonly number[],
  identifiers: readonly number[],
): QueryTerm[] {
  return terms.map((number, at) => ({
    number,
    frequencies: counts.slice(at * LEVELS, (at + 1) * LEVELS),
    isIdentifier: identifiers.includes(number),
  }));
}

/** The lexical side of a question against the tenant's corpus. */
export interface QuestionWords {
  /** Inverse document frequency by term number. BM25 of a chunk is its inner product with the chunk's impacts. */
  readonly idf: ReadonlyMap<number, number>;
  /** Upper bound of BM25 over all possible chunks, absent terms included. It depends on question and corpus alone. */
  readonly bound: number;
  /** Keys of the posting lists that are read for candidates. */
  readonly keys: readonly bigint[];
  /** Upper bound of BM25 for a chunk in none of these posting lists. */
  readonly skippedBound: number;
}

/** Maximum number of terms of a question. A longer question is reduced to its rarest terms. */
const MAX_TERMS = 256;

/**
 * Inverse document frequency in Lucene's form, ln(1 + (N - n + 0.5) / (n + 0.5)): never negative.
 * @param frequency number of chunks that contain the term (n)
 * @param total number of chunks (N)
 */
export function inverseDocumentFrequency(frequency: number, total: number): number {
  return Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5));
}

/**
 * Weighs the words of a question and chooses the posting lists to read: those with the largest possible contribution to a
 * score, at least one, and no more than `most` postings in total.
 * @param total chunks of the tenant
 */
export function questionWords(
  appId: string,
  queryTerms: readonly QueryTerm[],
  total: number,
  most: number,
): QuestionWords {
  const terms = countingTerms(queryTerms).map(({ number, frequencies, isIdentifier }) => {
    const idf = inverseDocumentFrequency(sum(frequencies), total) * (isIdentifier ? IDENTIFIER_WEIGHT : 1);
    return { number, frequencies, idf };
  });
  const lists = terms
    .flatMap(({ number, frequencies, idf }) =>
      frequencies.map((count, level) => ({ number, level, count, adds: idf * (LEVEL_CEILINGS[level] ?? 1) })),
    )
    .filter(({ count }) => count > 0)
    .sort((one, other) => other.adds - one.adds);
  const keyOf = keysFor(appId);
  const keys: bigint[] = [];
  const skipped = new Map<number, number>();
  let read = 0;
  for (const { number, level, count, adds } of lists) {
    if (read > 0 && read + count > most) {
      skipped.set(number, Math.max(adds, skipped.get(number) ?? 0));
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
    skippedBound: read > most ? bound : sum([...skipped.values()]),
  };
}

/** The rarest terms of a question; terms that no chunk contains come last. */
function countingTerms(queryTerms: readonly QueryTerm[]): readonly QueryTerm[] {
  if (queryTerms.length <= MAX_TERMS) return queryTerms;
  const frequency = ({ frequencies }: QueryTerm): number => sum(frequencies) || Number.MAX_VALUE;
  return queryTerms.toSorted((one, other) => frequency(one) - frequency(other)).slice(0, MAX_TERMS);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/**
 * The inverted index is a GIN index over `chunks.terms`. A key combines the tenant (32 bits of its hash), the term (29
 * bits) and the level of the term's impact (2 bits). PostgreSQL stores each key once with a compressed posting list of
 * about three bytes per posting. A search can read the high-impact postings of a frequent term without the others.
 */

/** Minimum impact of each level. */
const LEVEL_FLOORS = [0, 0.45, 0.6, 0.7] as const;

export const LEVELS = LEVEL_FLOORS.length;

/** Maximum impact of each level: contribution to BM25 relative to the term's inverse document frequency. */
export const LEVEL_CEILINGS: readonly number[] = [...LEVEL_FLOORS.slice(1), 1];

/** Returns a function that computes the tenant's key for a term and a level, as a PostgreSQL bigint. */
export function keysFor(appId: string): (term: number, level: number) => bigint {
  const tenant = tenantBits(appId);
  return (term, level) => tenant | BigInt((term - 1) * LEVELS + level);
}

/** Returns the bits of a key that name its tenant, as a PostgreSQL bigint. */
export function tenantBits(appId: string): bigint {
  return BigInt.asIntN(64, BigInt(hash32(appId)) << 32n);
}

/** Returns the index keys of a chunk's terms. */
export function indexKeys(appId: string, impacts: Impacts): bigint[] {
  const keyOf = keysFor(appId);
  return Array.from(impacts, ([term, impact]) => keyOf(term, levelOf(impact)));
}

function levelOf(impact: number): number {
  return LEVEL_FLOORS.findLastIndex((floor) => impact >= floor);
}
