import { printContext } from '#reader';
import { contentTerms, normalise, UNSPACED_CHARACTER } from '../../lexical/analyse.js';
import { groupedNumbers } from '../../lexical/grouped-numbers.js';
import { countTokens } from '../../models/llm/prompt-parts.js';
import { namesDocument } from './named-document.js';
import { withoutNumberWords } from './number-question.js';
import { isCompoundOf, isPartOf, sharesStem } from './related-terms.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';

/** A content word of a question, with its offsets in UTF-16 code units. */
export interface AskedWord {
  readonly start: number;
  readonly end: number;
  readonly terms: readonly string[];
  /** The normalised letters and digits of the word, without a possessive ending. */
  readonly letters: string;
  /** Numbers of three or more digits, such as years, without thousands separators. */
  readonly numbers: readonly string[];
  /** Whether the word begins with a capital letter, like a name. German nouns cannot be distinguished from names. */
  readonly isName: boolean;
}

const LETTER = `(?:(?!${UNSPACED_CHARACTER})[\\p{L}\\p{M}\\p{N}])`;
const WORD = new RegExp(`${LETTER}+(?:[-_.'’@&]${LETTER}+)*`, 'gu');
const SENTENCE_START = /(?:^|[.!?:;¿¡])[\s"'«“„(]*$/u;

const NUMBER = /\p{N}+/gu;
/** Minimum number of digits of a number that must match exactly. Shorter numbers are often spelled out in words. */
const LEAST_DIGITS = 3;
/** A two-digit year, as in FY22 and '22. */
const SHORT_YEAR = /(?:\p{L}|['’])(\d{2})(?!\d)/gu;

/** Returns the content words of a question. Finds words only in scripts with spaces between words. */
export function askedWords(question: string): AskedWord[] {
  const tokens = tokensOf(question).map(({ start, end }) => ({
    text: question.slice(start, end),
    start,
    end,
    isFirst: SENTENCE_START.test(question.slice(Math.max(0, start - 8), start)),
  }));
  const capitalsMarkNames = tokens.some(({ text, isFirst }) => !isFirst && /^\p{Ll}/u.test(text));
  return tokens
    .map(({ text, start, end, isFirst }) => ({
      start,
      end,
      terms: contentTerms(text),
      letters: lettersOf(text.replace(/['’]s$/u, '')),
      numbers: numbersOf(text, { withGroups: false }).filter((number) => number.length >= LEAST_DIGITS),
      isName: capitalsMarkNames && !isFirst && /^\p{Lu}[^]/u.test(text),
    }))
    .filter(({ terms, numbers }) => terms.length > 0 || numbers.length > 0);
}

type Span = Pick<AskedWord, 'start' | 'end'>;

/** Finds words. A number with thousands separators is one word. */
function tokensOf(question: string): Span[] {
  const tokens: Span[] = [];
  let from = 0;
  const addWordsUntil = (end: number): void => {
    for (const { 0: word, index } of question.slice(from, end).matchAll(WORD)) {
      tokens.push({ start: from + index, end: from + index + word.length });
    }
  };
  for (const { start, end } of groupedNumbers(withSameOffsets(question))) {
    addWordsUntil(start);
    tokens.push({ start, end });
    from = end;
  }
  addWordsUntil(question.length);
  return tokens;
}

/** Normalises only the characters whose length does not change. */
function withSameOffsets(text: string): string {
  return Array.from(text, (character) => {
    const normalised = normalise(character);
    return normalised.length === character.length ? normalised : character;
  }).join('');
}

/** The words and numbers in a passage's text, context, file name and metadata. */
export class PassageWords {
  private readonly terms: ReadonlySet<string>;
  private readonly numbers: ReadonlySet<string>;
  private readonly shortYears: ReadonlySet<string>;
  private readonly initials: string;
  /**
   * Normalised letters and digits of the file name. Words are found as substrings, for example `best` and `buy` in
   * BESTBUY_2023.
   */
  private readonly fileName: string;

  constructor({ content, context, filename, metadata }: RetrievedChunk) {
    const text = [content, printContext(context), filename ?? '', ...described(metadata)].join('\n');
    this.terms = new Set(contentTerms(text));
    this.numbers = new Set(numbersOf(text, { withGroups: true }));
    this.shortYears = new Set(Array.from(normalise(text).matchAll(SHORT_YEAR), ([, year]) => year ?? ''));
    this.initials = initialsOf(text);
    this.fileName = lettersOf(filename ?? '');
  }

  hasNumbers({ numbers }: AskedWord): boolean {
    return numbers.every(
      (number) => this.numbers.has(number) || (number.length === 4 && this.shortYears.has(number.slice(2))),
    );
  }

  /** Whether any part of the word occurs, possibly inflected or abbreviated. Always true for a word with a number. */
  has({ terms, letters, numbers }: Pick<AskedWord, 'terms' | 'letters' | 'numbers'>): boolean {
    if (numbers.length > 0) return true; // `hasNumbers` compares numbers exactly
    if (letters.length > 2 && (this.fileName.includes(letters) || this.initials.includes(letters)))
      return true;
    return terms.some((term) => this.terms.has(term) || this.hasInflected(term));
  }

  private hasInflected(term: string): boolean {
    if (term.length < 4) return false;
    for (const other of this.terms) if (sharesStem(term, other) || isPartOf(term, other)) return true;
    return isCompoundOf(term, this.terms);
  }
}

/** Maximum number of missing words to report. */
const MAX_REPORTED = 3;
/** Minimum length of a word to report. Names and words with a digit may be shorter. */
const MIN_LETTERS = 4;

/** Matches a possessive ending, an elided article as in the French l'Oréal, and a pronoun as in a-t-il. */
const AFFIXES = /^\p{L}{1,2}['’]|['’]s$|-(?:t-)?(?:je|tu|ils?|elles?|on|nous|vous|ce)$/gu;

/**
 * Returns the significant words of a question that do not occur in any of the passages, spelled as in the question.
 * Names, words with digits and rare words are significant. Finds words only in scripts with spaces between words.
 */
export function missingWords(question: string, passages: readonly RetrievedChunk[]): string[] {
  if (passages.some(({ filename }) => namesDocument(question, filename))) return [];
  const known = passages.map((passage) => new PassageWords(passage));
  const words = withoutNumberWords(question, askedWords(question))
    .map((word) => ({ ...word, text: question.slice(word.start, word.end).replace(AFFIXES, '') }))
    .filter(({ text, isName }) => isName || /\p{N}/u.test(text) || isRare(text))
    .filter((word) => !known.some((passage) => contains(passage, word)))
    .map(({ text }) => text);
  return [...new Set(words)].slice(0, MAX_REPORTED);
}

function contains(passage: PassageWords, word: AskedWord): boolean {
  // Ignores single letters such as an elided article, which every French passage contains.
  const terms = word.terms.filter((term) => term.length > 1);
  return passage.has({ ...word, terms }) && passage.hasNumbers(word);
}

/**
 * Whether o200k splits a word into several tokens. The vocabulary of o200k has 200,000 tokens, and contains the common
 * words of many languages as single tokens.
 */
function isRare(word: string): boolean {
  return word.length >= MIN_LETTERS && countTokens(` ${word.toLowerCase()}`) > 1;
}

/** Returns the sentence of an answer that names the missing words; empty if no word is missing. */
export function missingSentence(words: readonly string[]): string {
  if (words.length === 0) return '';
  const quoted = words.map((word) => `“${word}”`);
  const last = quoted.pop() ?? '';
  return quoted.length === 0
    ? `${last} is in none of these passages.`
    : `${quoted.join(', ')} and ${last} are in none of these passages.`;
}

function lettersOf(text: string): string {
  return normalise(text).replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The numbers of a text without thousands separators. Groups behind spaces are also numbers of their own in a passage. */
function numbersOf(text: string, { withGroups }: { readonly withGroups: boolean }): string[] {
  const normalised = normalise(text);
  const numbers: string[] = [];
  let others = '';
  let from = 0;
  for (const { start, end, whole, decimals } of groupedNumbers(normalised)) {
    numbers.push(whole, decimals);
    const isOne = !withGroups || !normalised.slice(start, end).includes(' ');
    others += normalised.slice(from, isOne ? start : end) + ' ';
    from = end;
  }
  return [...numbers, ...((others + normalised.slice(from)).match(NUMBER) ?? [])];
}

/** The metadata values of a document, without the values that the service sets. */
function described(metadata: RetrievedChunk['metadata']): string[] {
  return Object.entries(metadata)
    .filter(([name]) => !SERVICE_FIELDS.has(name))
    .flatMap(([, value]) => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : []));
}

const SERVICE_FIELDS: ReadonlySet<string> = new Set([
  'external_id',
  'page_number',
  'start_offset',
  'end_offset',
]);

/**
 * The initials of capitalised words and of words longer than three letters, as one text. An abbreviation is a substring
 * of it: CEO for Chief Executive Officer.
 */
function initialsOf(text: string): string {
  const words = text.match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  return normalise(
    words
      .filter((word) => word.length > 3 || /^\p{Lu}/u.test(word))
      .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0))
      .join(''),
  );
}
