import { isIdentifier, isNameTerm } from '../lexical/analyse.js';

/** BM25 parameters (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009). */
export const K1 = 1.2;
export const B = 0.75;

/** Exact statistics of a tenant's corpus. */
export interface CorpusStatistics {
  readonly chunkCount: number;
  /** Terms of all chunks together, counted with repetition. */
  readonly totalLength: number;
}

/** A query term with the number of the tenant's chunks that hold it. */
export interface QueryTerm {
  readonly term: string;
  readonly chunkCount: number;
  /** What it weighs: its inverse document frequency, {@link IDENTIFIER_WEIGHT} times that of an identifier. */
  readonly idf: number;
}

/**
 * A question with the identifier of something asks for that thing, whatever else it says: where some chunk holds it, it
 * weighs as much as several words that are as rare. Measured in docs/performance.md.
 */
const IDENTIFIER_WEIGHT = 4;

/** A term of a question, that `chunkCount` of `total` chunks hold. */
export function queryTerm(term: string, chunkCount: number, total: number): QueryTerm {
  const weight = chunkCount > 0 && isIdentifier(term) ? IDENTIFIER_WEIGHT : 1;
  return { term, chunkCount, idf: weight * inverseDocumentFrequency(chunkCount, total) };
}

/** The corpus that a query is scored against, taken before a search. */
export interface QueryStatistics {
  readonly corpus: CorpusStatistics;
  /** Share of the chunks of all tenants, about. */
  readonly shareOfAll: number;
  readonly terms: readonly QueryTerm[];
}

/**
 * Inverse document frequency in Lucene's form, ln(1 + (N - n + 0.5) / (n + 0.5)): never negative.
 * @param holding number of chunks that hold the term (n)
 * @param total number of chunks (N)
 */
export function inverseDocumentFrequency(holding: number, total: number): number {
  return Math.log(1 + (total - holding + 0.5) / (holding + 0.5));
}

/**
 * The largest BM25 any chunk could reach for these terms: the sum of their idf, terms that no chunk holds included.
 * (tf / (tf + ...) stays below 1 without the factor k1 + 1.) It depends on the query and the corpus alone.
 */
export function scoreBound(terms: readonly QueryTerm[]): number {
  return terms.reduce((sum, { idf }) => sum + idf, 0);
}

/** Of a longer question's terms so many count: each costs a look-up for every chunk that is scored. */
const MAX_TERMS = 256;

/**
 * The terms of a question that count, in its order: the rarest, of those that some chunk holds before the others. Two
 * words are a name only where some chunk has them as one. Which terms these are depends on the question and the corpus
 * alone, as scores do.
 */
export function countingTerms(asked: readonly QueryTerm[]): readonly QueryTerm[] {
  const terms = asked.filter(({ term, chunkCount }) => chunkCount > 0 || !isNameTerm(term));
  if (terms.length <= MAX_TERMS) return terms;
  const frequency = ({ chunkCount }: QueryTerm): number => (chunkCount > 0 ? chunkCount : Number.MAX_VALUE);
  const byRarity = terms.toSorted((a, b) => frequency(a) - frequency(b));
  const rarest = new Set(byRarity.slice(0, MAX_TERMS));
  return terms.filter((term) => rarest.has(term));
}

/** Mean chunk length; 1 for an empty corpus, where nothing is scored anyway. */
export function meanLength({ chunkCount, totalLength }: CorpusStatistics): number {
  return chunkCount > 0 && totalLength > 0 ? totalLength / chunkCount : 1;
}
