import { analyseQuery } from '../../../src/lexical/analyse.js';

/** A range of a text, `[start, end)` in UTF-16 code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Words as the analyser separates them, with brackets of superscripts and subscripts: `10^{-3}`. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:(?:[-_.'@⁄]|\^-?|[_^][{(]-?)[\p{L}\p{M}\p{N}]+[})]?)*/gu;

/** The words of a text that lexical search matches with the question: by stem, without stop words. */
export function wordsOf(text: string, question: string): Span[] {
  const wanted = new Set(analyseQuery(question));
  if (wanted.size === 0) return [];
  return [...text.matchAll(WORD)].flatMap(({ 0: word, index }) =>
    analyseQuery(word).some((term) => wanted.has(term)) ? [{ start: index, end: index + word.length }] : [],
  );
}

/** Position of a quote in a text, ignoring differences in white space; null if the text does not contain the quote. */
export function placeOf(
  text: string,
  quote: string,
  within: Span = { start: 0, end: text.length },
): Span | null {
  const words = quote
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (words[0] === '') return null;
  const found = new RegExp(words.join('\\s+'), 'u').exec(text.slice(within.start, within.end));
  if (found === null) return null;
  const start = within.start + found.index;
  return { start, end: start + found[0].length };
}

/**
 * Matches a line end that the margin of a page may have caused, after at least 40 characters. A shorter line ends where
 * the author broke it.
 */
const BROKEN = /(?<=[^\n]{40}[\p{Ll},;])\n(?=[\p{Ll}(])/gu;

/** Joins the lines of a sentence that was broken at the margin of a page. Offsets are preserved. */
export function joined(text: string): string {
  return text.replace(BROKEN, ' ');
}
