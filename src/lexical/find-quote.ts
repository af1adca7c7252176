/** A range of word indexes, both ends included. */
interface WordRange {
  readonly first: number;
  readonly last: number;
}

/** Minimum length of a partial match, in words or letters. Shorter fragments match by chance. */
const MIN_WORDS = 3;
const MIN_LETTERS = 12;

/** Share of the letters of a quotation that must be found. Low, because the quotation may continue on the next page. */
const MIN_SHARE = 0.25;

/**
 * Finds a quotation in a text whose word breaks or word order may differ, such as the text layer of a page or rendered
 * Markdown. Compares only letters and digits, and ignores case. If the whole quotation is not found, its longest
 * matching parts are returned.
 *
 * @returns ranges in the order of the words; an empty list if too little was found
 */
export function findQuote(words: readonly string[], quote: string): WordRange[] {
  const text = new JoinedWords(words);
  const wanted = quote
    .split(/\s+/)
    .map(lettersOf)
    .filter((word) => word !== '');
  const letters = wanted.join('').length;
  if (letters === 0) return [];
  const parts: Part[] = [];
  for (let index = 0; index < wanted.length;) {
    const part = longestPart(text, wanted, index, parts.at(-1)?.end ?? 0);
    if (part === null) index += 1;
    else {
      parts.push(part);
      index += part.words;
    }
  }
  const found = parts.reduce((sum, { start, end }) => sum + end - start, 0);
  if (found < letters * MIN_SHARE) return [];
  return merged(parts.map((part) => text.wordsIn(part)));
}

/** Returns the share of the letters of a quotation that {@link findQuote} finds, from 0 to 1. */
export function shareFound(words: readonly string[], quote: string): number {
  const letters = lettersOf(quote).length;
  const found = findQuote(words, quote).flatMap(({ first, last }) => words.slice(first, last + 1));
  return letters === 0 ? 0 : Math.min(1, lettersOf(found.join('')).length / letters);
}

interface Part {
  /** Offsets into the joined letters of the text. */
  readonly start: number;
  readonly end: number;
  /** Number of words of the quotation in this part. */
  readonly words: number;
}

/** Returns the longest run of quotation words from `index` on that occurs in the text, preferably after `from`. */
function longestPart(text: JoinedWords, wanted: readonly string[], index: number, from: number): Part | null {
  let part: Part | null = null;
  let letters = '';
  for (let words = 1; index + words <= wanted.length; words += 1) {
    letters += wanted[index + words - 1] ?? '';
    const start = text.find(letters, from);
    if (start === null) break;
    const isLong = words >= MIN_WORDS || letters.length >= MIN_LETTERS || words === wanted.length;
    if (isLong) part = { start, end: start + letters.length, words };
  }
  return part;
}

/** The letters of all words joined without separators, with the word index of each letter. */
class JoinedWords {
  private readonly letters: string;
  private readonly wordAt: readonly number[];
  private readonly starts: ReadonlySet<number>;

  constructor(words: readonly string[]) {
    const each = words.map(lettersOf);
    this.letters = each.join('');
    this.wordAt = each.flatMap((word, number) => Array<number>(word.length).fill(number));
    let at = 0;
    this.starts = new Set(each.map((word) => (at += word.length) - word.length));
  }

  /**
   * Returns the offset of an occurrence of `letters` at the start of a word, preferably after `from`; null if there is
   * no occurrence.
   */
  find(letters: string, from: number): number | null {
    return this.findFrom(letters, from) ?? (from === 0 ? null : this.findFrom(letters, 0));
  }

  wordsIn({ start, end }: Part): WordRange {
    return { first: this.wordAt[start] ?? 0, last: this.wordAt[end - 1] ?? 0 };
  }

  private findFrom(letters: string, from: number): number | null {
    let at = this.letters.indexOf(letters, from);
    while (at !== -1 && !this.starts.has(at)) at = this.letters.indexOf(letters, at + 1);
    return at === -1 ? null : at;
  }
}

function lettersOf(word: string): string {
  return word
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');
}

function merged(ranges: readonly WordRange[]): WordRange[] {
  const all: WordRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.first - b.first)) {
    const before = all.at(-1);
    if (before === undefined || range.first > before.last + 1) all.push(range);
    else all[all.length - 1] = { first: before.first, last: Math.max(before.last, range.last) };
  }
  return all;
}
