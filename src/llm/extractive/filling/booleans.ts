import type { Candidate } from '../candidates.js';
import { placeOf, type Asked } from './property.js';

const NEGATION =
  /\b(?:not|no|never|cannot|can't|don't|doesn't|isn't|aren't|won't|without|neither|nor|none|excluded?|prohibited|forbidden)\b|不|没有|禁止|ません|ない/i;

const CLAUSE_ENDS = /[,;:，；—–]|\b(?:and|but|while|whereas|although)\b/gi;

/** What the best sentence that has the property's own word says of it: true, false, or nothing certain. */
export function truthFor({ words, heads, isQuestion }: Asked, sentences: readonly Candidate[]): boolean[] {
  const best = sentences.find(({ terms }) => isQuestion || heads.some((head) => terms.has(head)));
  if (best === undefined) return [];
  const { text } = best.sentence;
  const affirmed = affirms(text, placeOf(heads.join(' ') || words, text));
  return affirmed === null ? [] : [affirmed];
}

/**
 * Whether a sentence affirms what stands at `place`: false when its clause has a negation, true when that comes after
 * the clause or nowhere; null when it comes before it and may reach that far ("not waterproof, dustproof or ...").
 */
function affirms(sentence: string, place: number): boolean | null {
  const ends = Array.from(sentence.matchAll(CLAUSE_ENDS), ({ index }) => index);
  const start = ends.findLast((end) => end < place) ?? 0;
  const end = ends.find((one) => one >= place) ?? sentence.length;
  if (NEGATION.test(sentence.slice(start, end))) return false;
  return NEGATION.test(sentence.slice(0, start)) ? null : true;
}
