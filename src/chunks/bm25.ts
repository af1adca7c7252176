import { keysFor, LEVEL_CEILINGS, LEVELS } from '../lexical/inverted-index.js';

/** A term of a question with its numbers of chunks by impact level. */
export interface QueryTerm {
  readonly number: number;
  /**
   * Lengths of the posting lists: all chunks of the tenant. They decide what a search reads. They do not change scores.
   */
  readonly postings: readonly number[];
  /** Document frequencies: chunks that everyone in the tenant may read. */
  readonly frequencies: readonly number[];
  /** Whether the term belongs to an identifier that the embedding model cannot read. */
  readonly isIdentifier: boolean;
}

/**
 * Factor on the idf of an identifier that the embedding model cannot read. Other words contribute to the dense score
 * too; such an identifier contributes to the lexical score only. With factors from 6 to 10, the right identifier ranks
 * first among many similar identifiers, and other rankings stay the same (docs/project/performance.md).
 */
const IDENTIFIER_WEIGHT = 10;

/**
 * Assigns postings and document frequencies to the terms of a question.
 *
 * @param counts length of the posting list, and document frequency, of each key, in the order of `keysOf`
 * @param identifiers the subset of `terms` from identifiers that the embedding model cannot read
 */
export function queryTermsOf(
  terms: readonly number[],
  counts: Pick<QueryTerm, 'postings' | 'frequencies'>,
  identifiers: readonly number[],
): QueryTerm[] {
  return terms.map((number, at) => ({
    number,
    postings: counts.postings.slice(at * LEVELS, (at + 1) * LEVELS),
    frequencies: counts.frequencies.slice(at * LEVELS, (at + 1) * LEVELS),
    isIdentifier: identifiers.includes(number),
  }));
}

/** The lexical part of a question, weighted for the tenant's corpus. */
export interface QuestionWords {
  /**
   * Inverse document frequency by term number. The BM25 score of a chunk is the inner product of these frequencies and
   * the impacts of the chunk.
   */
  readonly idf: ReadonlyMap<number, number>;
  /**
   * Upper bound of the BM25 score of any possible chunk. The bound includes terms that no chunk contains, so it depends
   * on the question and the shared statistics alone.
   */
  readonly bound: number;
  /** Index keys of the posting lists from which candidates are read. */
  readonly keys: readonly bigint[];
  /** Upper bound of the BM25 score of a chunk that is in none of these posting lists. */
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
 * Weights the terms of a question and chooses the posting lists to read. Chooses the lists with the largest possible
 * contribution to a score first: at least one list, and then further lists while the total is at most `most` postings.
 * @param total number of chunks that everyone in the tenant may read
 */
export function questionWords(
  appId: string,
  queryTerms: readonly QueryTerm[],
  total: number,
  most: number,
): QuestionWords {
  const terms = countingTerms(queryTerms).map(({ number, postings, frequencies, isIdentifier }) => {
    const idf = inverseDocumentFrequency(sum(frequencies), total) * (isIdentifier ? IDENTIFIER_WEIGHT : 1);
    return { number, postings, idf };
  });
  const lists = terms
    .flatMap(({ number, postings, idf }) =>
      postings.map((count, level) => ({ number, level, count, adds: idf * (LEVEL_CEILINGS[level] ?? 1) })),
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

/** Limits a question to its rarest terms. Terms that no chunk contains are dropped first. */
function countingTerms(queryTerms: readonly QueryTerm[]): readonly QueryTerm[] {
  if (queryTerms.length <= MAX_TERMS) return queryTerms;
  const frequency = ({ frequencies }: QueryTerm): number => sum(frequencies) || Number.MAX_VALUE;
  return queryTerms.toSorted((one, other) => frequency(one) - frequency(other)).slice(0, MAX_TERMS);
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
