import { hash } from 'node:crypto';
import type { AnalysedDocument } from './analyse.js';

/**
 * The inverted index is a GIN index over `chunks.terms`. A key combines the tenant (32 bits of its hash), the term (29
 * bits) and the level of the term's impact on the chunk (2 bits). PostgreSQL stores each key once with a compressed
 * posting list of about three bytes per posting. Because the level is part of the key, a search can read only the
 * high-impact postings of a frequent term.
 */

/** BM25 parameters (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009). */
export const K1 = 1.2;
export const B = 0.75;

/**
 * Length of a text, in terms, that replaces the mean length in BM25. The mean length of a corpus changes with every
 * document. With a fixed length, the impact of a term on a text never changes, so it can be stored, and BM25 is an
 * inner product. Rankings with lengths from 80 to 160 differ by at most .01 on six collections
 * (docs/project/performance.md).
 */
export const REFERENCE_LENGTH = 128;

/** Maximum term number. Term numbers start at 1. */
export const TERM_NUMBERS = 2 ** 29;

/** Impacts are rounded to 1 / PLACES. */
const PLACES = 1e4;

/** BM25 impact by term number, in (0, 1): the BM25 contribution of a term before it is multiplied by the idf. */
export type Impacts = ReadonlyMap<number, number>;

/**
 * Hashes a term to a number. In a corpus of a hundred thousand terms, one term in 5,000 has the same number as another.
 */
export function termNumber(term: string): number {
  return (hash32(term) >>> 3) + 1;
}

/** Returns the first 32 bits of the SHA-256 of a text. */
export function hash32(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0);
}

/**
 * Computes BM25 impacts in Lucene's form, which omits the factor k1 + 1: tf / (tf + k1 (1 - b + b length / reference
 * length)).
 */
export function impactsOf({ terms, length }: AnalysedDocument): Impacts {
  const norm = K1 * (1 - B + (B * length) / REFERENCE_LENGTH);
  const impacts = new Map<number, number>();
  for (const [term, frequency] of terms) {
    const number = termNumber(term);
    const impact = Math.round((PLACES * frequency) / (frequency + norm)) / PLACES;
    impacts.set(number, Math.max(impact, impacts.get(number) ?? 0));
  }
  return impacts;
}

/** Minimum impact of each level. */
const LEVEL_FLOORS = [0, 0.45, 0.6, 0.7] as const;

export const LEVELS = LEVEL_FLOORS.length;

/** Maximum impact of each level. The impact times the term's idf is its contribution to the BM25 score. */
export const LEVEL_CEILINGS: readonly number[] = [...LEVEL_FLOORS.slice(1), 1];

/** Returns a function that computes the tenant's key for a term and a level, as a PostgreSQL bigint. */
export function keysFor(appId: string): (term: number, level: number) => bigint {
  const tenant = tenantBits(appId);
  return (term, level) => tenant | BigInt((term - 1) * LEVELS + level);
}

/** Returns the bits of a key that identify its tenant, as a PostgreSQL bigint. */
export function tenantBits(appId: string): bigint {
  return BigInt.asIntN(64, BigInt(hash32(appId)) << 32n);
}

/** Returns the index keys of a chunk's terms. */
export function indexKeys(appId: string, impacts: Impacts): bigint[] {
  const keyOf = keysFor(appId);
  return Array.from(impacts, ([term, impact]) => keyOf(term, levelOf(impact)));
}

/** Returns the index keys of terms: one for each level of each term. Document frequencies are counted by these keys. */
export function keysOf(appId: string, terms: readonly number[]): bigint[] {
  const keyOf = keysFor(appId);
  return terms.flatMap((term) => Array.from({ length: LEVELS }, (_, level) => keyOf(term, level)));
}

function levelOf(impact: number): number {
  return LEVEL_FLOORS.findLastIndex((floor) => impact >= floor);
}
