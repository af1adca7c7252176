/** Characters before and after the first found word in an excerpt. */
const BEFORE = 60;
const AFTER = 140;

const MAX_WORDS = 8;

/** The words of a search, each once. */
export function wordsOf(text: string): string[] {
  return [...new Set(text.split(/\s+/).filter((word) => word !== ''))].slice(0, MAX_WORDS);
}

/** Whether a text contains all words, in any case. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word.toLowerCase()));
}

/** The part of a text around the first of the words, on one line. */
export function excerptWith(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const at = Math.min(
    ...words.map((word) => lower.indexOf(word.toLowerCase())).filter((index) => index >= 0),
  );
  const begin = at <= BEFORE ? 0 : text.lastIndexOf(' ', at - BEFORE) + 1 || at - BEFORE;
  const rest = text.slice(begin);
  const room = at - begin + AFTER;
  const end = rest.length <= room ? rest.length : Math.max(rest.lastIndexOf(' ', room), at - begin + 1);
  const shown = rest.slice(0, end).replace(/\s+/g, ' ').trim();
  return `${begin > 0 ? '…' : ''}${shown}${end < rest.length ? '…' : ''}`;
}
