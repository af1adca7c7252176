import { sentencesOf, type Sentence } from './sentences.js';
import { contentTerms } from '../../lexical/analyse.js';

/**
 * Weight of a term by how few of `total` sentences have it: the idf of BM25 (Robertson and Spärck Jones), always
 * positive.
 */
export function inverseFrequency(sentencesWithTerm: number, total: number): number {
  return Math.log(1 + (total - sentencesWithTerm + 0.5) / (sentencesWithTerm + 0.5));
}

/** In how many of the sets each term occurs. */
export function sentenceFrequencies(termSets: readonly ReadonlySet<string>[]): Map<string, number> {
  const frequencies = new Map<string, number>();
  for (const set of termSets) {
    for (const term of set) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  }
  return frequencies;
}

/**
 * The sentence of `passage` that shares most with `claim`: rare shared terms count most, and among equals the
 * shorter sentence and then the earlier one wins. The first sentence when none shares a term; null for a text
 * without sentences.
 */
export function bestSupport(passage: string, claim: string): Sentence | null {
  const sentences = sentencesOf(passage).filter(({ kind }) => kind !== 'heading');
  const termSets = sentences.map(({ text }) => new Set(contentTerms(text)));
  const frequencies = sentenceFrequencies(termSets);
  const claimed = new Set(contentTerms(claim));
  let best: { sentence: Sentence; score: number } | undefined;
  sentences.forEach((sentence, index) => {
    const terms = termSets[index] ?? new Set<string>();
    let shared = 0;
    for (const term of claimed) {
      if (terms.has(term)) shared += inverseFrequency(frequencies.get(term) ?? 0, sentences.length);
    }
    const score = shared / (1 + 0.02 * terms.size);
    if (best === undefined || score > best.score) best = { sentence, score };
  });
  return best?.sentence ?? sentencesOf(passage)[0] ?? null;
}
