import { contentTerms } from '../../lexical/analyse.js';

/** Words that join the parts of a name. */
const JOINS = '(?:of|the|de|der|van|von|and|&)';
const CAPITALISED = new RegExp(
  `\\p{Lu}[\\p{L}\\p{N}'’.-]*(?:\\s+(?:${JOINS}\\s+){0,2}\\p{Lu}[\\p{L}\\p{N}'’.-]*|\\s+\\p{N}[\\p{L}\\p{N}.-]*)*`,
  'gu',
);
const QUOTED = /["“«「]([^"”»」]{2,80})["”»」]/gu;
const IDENTIFIER =
  /(?<![\p{L}\p{N}])(?=[\p{L}\p{N}-]*\p{L})(?=[\p{L}\p{N}-]*\p{N})[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;

/**
 * Parts of a question that look like names: what is quoted, words with capitals, identifiers with digits; in the order
 * they stand. The word that opens a sentence has its capital from there, so it counts only within a longer name.
 */
export function namedSpans(question: string): string[] {
  const spans = [
    ...Array.from(question.matchAll(QUOTED), ({ 1: text = '', index }) => ({ text, index })),
    ...Array.from(question.matchAll(CAPITALISED), (match) => capitalised(question, match[0], match.index)),
    ...Array.from(question.matchAll(IDENTIFIER), ({ 0: text, index }) => ({ text, index })),
  ].filter(({ text }) => text !== '');
  const sorted = spans.sort((a, b) => a.index - b.index || b.text.length - a.text.length);
  const kept = sorted.filter((span, at) => !sorted.slice(0, at).some((other) => covers(other, span)));
  return [...new Set(kept.map(({ text }) => text))];
}

interface Span {
  readonly text: string;
  readonly index: number;
}

function covers(a: Span, b: Span): boolean {
  return a.index <= b.index && a.index + a.text.length >= b.index + b.text.length;
}

/** A capitalised run without the function words that open it ("What", "The"), trailing punctuation, and lone openers. */
function capitalised(question: string, run: string, index: number): Span {
  const opensSentence = /(?:^|[.!?。！？]\s*)["“«(]?$/u.test(question.slice(0, index));
  const words = run.split(/(?<=\s)/);
  let start = index;
  while (words[0] !== undefined && contentTerms(words[0]).length === 0) start += words.shift()?.length ?? 0;
  const text = words
    .join('')
    .trim()
    .replace(/(?:['’]s)?[.'’-]*$/u, '');
  const isOpener = opensSentence && start === index && !/\s/.test(text) && !/\p{N}|^\p{Lu}{2,}$/u.test(text);
  return { text: isOpener ? '' : text, index: start };
}
