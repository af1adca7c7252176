import { hash } from 'node:crypto';
import type { AnalysedDocument } from './analyse.js';

/** BM25 parameters (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009). */
export const K1 = 1.2;
export const B = 0.75;

/**
 * The length, in terms, that BM25 takes for the usual one. BM25 proper takes the mean of the corpus, which moves with every
 * document; with a fixed one the impact of a term on its text never changes, so that it is stored once and BM25 is an
 * inner product. From 80 to 160 ranking is the same within .01 on six collections (docs/performance.md).
 */
export const USUAL_LENGTH = 128;

/** Terms are known by numbers below this one, from 1 on. */
export const TERM_NUMBERS = 2 ** 29;

/** Digits of an impact after the point: as SQL rounds it where an old schema is brought up to date. */
const PLACES = 1e4;

/** What each term adds to the BM25 of its text, before its inverse document frequency: by term number, in (0, 1). */
export type Impacts = ReadonlyMap<number, number>;

/** The number of a term: of a hundred thousand other terms one has the same number once in some five thousand texts. */
export function termNumber(term: string): number {
  return (hash32(term) >>> 3) + 1;
}

/** The first 32 bits of the SHA-256 of a text. */
export function hash32(text: string): number {
  return hash('sha256', text, 'buffer').readUInt32BE(0);
}

/** tf / (tf + k1 (1 - b + b length / usual length)): BM25 in Lucene's form, without the factor k1 + 1. */
export function impactsOf({ terms, length }: AnalysedDocument): Impacts {
  const norm = K1 * (1 - B + (B * length) / USUAL_LENGTH);
  const impacts = new Map<number, number>();
  for (const [term, frequency] of terms) {
    const number = termNumber(term);
    const impact = Math.round((PLACES * frequency) / (frequency + norm)) / PLACES;
    impacts.set(number, Math.max(impact, impacts.get(number) ?? 0));
  }
  return impacts;
}
