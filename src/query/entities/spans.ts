import { contentTerms } from '../../lexical/analyse.js';

/** Words that join the parts of a name. */
const JOINS = '(?:of|the|de|der|van|von|and|&)';
const CAPITALISED = new RegExp(
  `\\p{Lu}[\\p{L}\\p{N}'’.-]*(?:\\s+(?:${JOINS}\\s+){0,2}\\p{Lu}[\\p{L}\\p{N}'’.-]*|\\s+\\p{N}[\\p{L}\\p{N}.-]*)*`,
  'gu',
);
const QUOTED = /["“«「]([^"”»」]{2,80})["”»」]/gu;
const CODE = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;

/**
 * Parts of a question that look like names: what is quoted, words with capitals, identifiers with digits; in the order
 * they stand. The word that opens a sentence has its capital from there, so it counts only within a longer name.
 */
export function namedSpans(question: string): string[] {
  const spans = [
    ...Array.from(question.matchAll(QUOTED), ({ 1: text = '', index }) => ({ text, index })),
    ...Array.from(question.matchAll(CAPITALISED), (match) => capitalised(question, match[0], match.index)),
    ...Array.from(question.matchAll(CODE), ({ 0: text, index }) => ({ text, index })).filter(isIdentifier),
  ].filter(({ text }) => text !== '');
  const sorted = spans.sort((a, b) => a.index - b.index || b.text.length - a.text.length);
  // Those before begin no later: one of them covers a span when it reaches as far.
  let reached = 0;
  const kept = sorted.filter(({ text, index }) => {
    const isCovered = index + text.length <= reached;
    reached = Math.max(reached, index + text.length);
    return !isCovered;
  });
  return [...new Set(kept.map(({ text }) => text))];
}

interface Span {
  readonly text: string;
  readonly index: number;
}

function isIdentifier({ text }: Span): boolean {
  return /\p{L}/u.test(text) && /\p{N}/u.test(text);
}

/** How far back the end of the sentence before a word is looked for. */
const GAP = 100;

/** A capitalised run without the function words that open it ("What", "The"), trailing punctuation, and lone openers. */
function capitalised(question: string, run: string, index: number): Span {
  const opensSentence = /(?:^|[.!?。！？]\s*)["“«(]?$/u.test(question.slice(Math.max(0, index - GAP), index));
  const words = run.split(/(?<=\s)/);
  const telling = words.findIndex((word) => contentTerms(word).length > 0);
  const opening = telling === -1 ? run : words.slice(0, telling).join('');
  const start = index + opening.length;
  const text = run
    .slice(opening.length)
    .trim()
    .replace(/(?:['’]s)?[.'’-]*$/u, '');
  const isOpener = opensSentence && start === index && !/\s/.test(text) && !/\p{N}|^\p{Lu}{2,}$/u.test(text);
  return { text: isOpener ? '' : text, index: start };
}
