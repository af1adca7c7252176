import { htmlToMarkdown } from '../html/html-to-markdown.js';

/** Matches formatting that plain text loses. In plain text, `10<sup>6</sup>` is 106, and deleted text looks valid. */
const BEYOND_PLAIN = /<(?:sup|sub|del|s|strike|math)[\s>]/i;

/** The line below the header of a table. Plain text has the cells of a table one below the other. */
const TABLE = /^\|(?: --- \|)+$/m;

/** Share of the words of the HTML that the plain text must have. */
const MIN_SHARE = 0.8;

/** A plain text with this many times the words of the HTML is the message, even if the two have no word in common. */
const MUCH_LONGER = 3;

/**
 * Returns the body of a message with plain text and HTML parts: the plain text, unless the HTML has more. It has more
 * if it has formatting or tables that plain text loses, or if the plain text is a stub ("enable HTML"), or ends early.
 */
export function messageBody(plain: string, html: string): string {
  const markdown = html === '' ? '' : htmlToMarkdown(html).markdown;
  if (markdown === '' || plain === '') return plain || markdown;
  return BEYOND_PLAIN.test(html) || TABLE.test(markdown) || saysMore(markdown, plain) ? markdown : plain;
}

function saysMore(markdown: string, plain: string): boolean {
  const [own, others] = [wordsIn(markdown), wordsIn(plain)];
  const shared = sharedWords(own, others);
  if (shared >= own.length * MIN_SHARE) return false;
  return others.length - shared < (own.length - shared) * MUCH_LONGER;
}

const ADDRESS = /\b(?:https?:\/\/|www\.|mailto:)[^\s<>()]+/gi;

/** Words in lower case, and the single characters of scripts without spaces. Addresses are not words. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|[\p{L}\p{M}\p{N}]+/gu;

function wordsIn(text: string): string[] {
  return text.replace(ADDRESS, ' ').toLowerCase().match(WORD) ?? [];
}

/** Number of words that both texts have, counted with repetitions. */
function sharedWords(one: readonly string[], other: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const word of other) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of one) {
    const count = counts.get(word) ?? 0;
    if (count === 0) continue;
    shared += 1;
    counts.set(word, count - 1);
  }
  return shared;
}
