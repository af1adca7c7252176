import { contentTerms } from '../../lexical/analyse.js';
import { sentencesOf, type Sentence } from './sentences.js';

/**
 * How much of a claim (a question, a statement) each of some texts holds, in [0, 1]: the share of the weight of the
 * claim's terms that occur in it. A term weighs by how few of the texts have it: the idf of BM25 (Robertson and Spärck
 * Jones), always positive.
 * @param texts their terms ({@link termsOf})
 */
export function sharesOf(claim: string, texts: readonly ReadonlySet<string>[]): number[] {
  const frequencies = new Map<string, number>();
  for (const terms of texts) {
    for (const term of terms) frequencies.set(term, (frequencies.get(term) ?? 0) + 1);
  }
  const weights = new Map<string, number>();
  for (const term of termsOf(claim)) {
    const having = frequencies.get(term) ?? 0;
    weights.set(term, Math.log(1 + (texts.length - having + 0.5) / (having + 0.5)));
  }
  const total = sumOf(weights.values());
  return texts.map((terms) =>
    total === 0 ? 0 : sumOf(Array.from(terms, (term) => weights.get(term) ?? 0)) / total,
  );
}

export function termsOf(text: string): ReadonlySet<string> {
  return new Set(contentTerms(text));
}

/**
 * The sentence of `passage` that holds most of `claim`, of equals the shorter one; the first one when none shares a
 * term with it; null for a text without sentences.
 */
export function bestSupport(passage: string, claim: string): Sentence | null {
  const sentences = sentencesOf(passage);
  const shares = sharesOf(
    claim,
    sentences.map(({ text }) => termsOf(text)),
  );
  const ranked = sentences
    .map((sentence, index) => ({ sentence, share: shares[index] ?? 0 }))
    .sort((a, b) => b.share - a.share || (a.share > 0 ? a.sentence.text.length - b.sentence.text.length : 0));
  return ranked[0]?.sentence ?? null;
}

function sumOf(numbers: Iterable<number>): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}
