import { contentTerms, normalise, UNSPACED_CHARACTER } from '../../lexical/analyse.js';
import { printContext } from '../../lexical/chunk-context.js';
import type { RetrievedChunk } from '../../retrieval/retrieval.types.js';

/** A content word of a question, with its offsets (UTF-16 code units). */
export interface AskedWord {
  readonly start: number;
  readonly end: number;
  readonly terms: readonly string[];
  /** Letters and digits, normalised, without a possessive ending. */
  readonly letters: string;
  /** Numbers of three or more digits, without thousands separators; years included. */
  readonly numbers: readonly string[];
  /** Whether a capital letter marks a name. German nouns are indistinguishable. */
  readonly isName: boolean;
}

const LETTER = `(?:(?!${UNSPACED_CHARACTER})[\\p{L}\\p{M}\\p{N}])`;
const GROUPED_NUMBER = /\p{N}{1,3}(?:[.,'’\u00a0\u202f]\p{N}{3})+(?!\p{N})/u.source;
const WORD = new RegExp(`${GROUPED_NUMBER}|${LETTER}+(?:[-_.'’@&]${LETTER}+)*`, 'gu');
const SENTENCE_START = /(?:^|[.!?:;¿¡])[\s"'«“„(]*$/u;

const NUMBER = new RegExp(`${GROUPED_NUMBER}|\\p{N}+`, 'gu');
/** Shorter numbers are often spelled out. */
const LEAST_DIGITS = 3;
/** A two-digit year, as in FY22 and '22. */
const SHORT_YEAR = /(?:\p{L}|['’])(\d{2})(?!\d)/gu;

/** The content words of a question, for scripts that separate words. */
export function askedWords(question: string): AskedWord[] {
  const tokens = [...question.matchAll(WORD)].map(({ 0: text, index }) => ({
    text,
    start: index,
    end: index + text.length,
    isFirst: SENTENCE_START.test(question.slice(Math.max(0, index - 8), index)),
  }));
  const capitalsMarkNames = tokens.some(({ text, isFirst }) => !isFirst && /^\p{Ll}/u.test(text));
  return tokens
    .map(({ text, start, end, isFirst }) => ({
      start,
      end,
      terms: contentTerms(text),
      letters: lettersOf(text.replace(/['’]s$/u, '')),
      numbers: numbersOf(text).filter((number) => number.length >= LEAST_DIGITS),
      isName: capitalsMarkNames && !isFirst && /^\p{Lu}[^]/u.test(text),
    }))
    .filter(({ terms, numbers }) => terms.length > 0 || numbers.length > 0);
}

/** The words and numbers in a passage's text, context, file name and metadata. */
export class PassageWords {
  private readonly terms: ReadonlySet<string>;
  private readonly numbers: ReadonlySet<string>;
  private readonly shortYears: ReadonlySet<string>;
  private readonly initials: string;
  /** Letters and digits of the file name: BESTBUY_2023 contains `best` and `buy`. */
  private readonly fileName: string;

  constructor({ content, context, filename, metadata }: RetrievedChunk) {
    const text = [content, printContext(context), filename ?? '', ...described(metadata)].join('\n');
    this.terms = new Set(contentTerms(text));
    this.numbers = new Set(numbersOf(text));
    this.shortYears = new Set(Array.from(normalise(text).matchAll(SHORT_YEAR), ([, year]) => year ?? ''));
    this.initials = initialsOf(text);
    this.fileName = lettersOf(filename ?? '');
  }

  hasNumbers({ numbers }: AskedWord): boolean {
    return numbers.every(
      (number) => this.numbers.has(number) || (number.length === 4 && this.shortYears.has(number.slice(2))),
    );
  }

  /** Whether any part of the word occurs, possibly inflected or abbreviated. */
  has({ terms, letters, numbers }: Pick<AskedWord, 'terms' | 'letters' | 'numbers'>): boolean {
    if (numbers.length > 0) return true; // a number must match exactly
    if (letters.length > 2 && (this.fileName.includes(letters) || this.initials.includes(letters)))
      return true;
    return terms.some((term) => this.terms.has(term) || this.hasInflected(term));
  }

  private hasInflected(term: string): boolean {
    if (term.length < 4) return false;
    for (const other of this.terms) if (sharesStem(term, other)) return true;
    return false;
  }
}

function lettersOf(text: string): string {
  return normalise(text).replace(/[^\p{L}\p{N}]+/gu, '');
}

function numbersOf(text: string): string[] {
  return Array.from(normalise(text).matchAll(NUMBER), ([number]) => number.replace(/\P{N}/gu, ''));
}

/** Names and metadata values of a document. */
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

/** Initials of capitalised words and of words longer than three letters: CEO for Chief Executive Officer. */
function initialsOf(text: string): string {
  const words = text.match(/\p{L}[\p{L}\p{M}]*/gu) ?? [];
  return normalise(
    words
      .filter((word) => word.length > 3 || /^\p{Lu}/u.test(word))
      .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0))
      .join(''),
  );
}

/** Whether two words share a prefix of three quarters of the longer one. */
function sharesStem(one: string, other: string): boolean {
  const needed = Math.ceil(0.75 * Math.max(one.length, other.length));
  return needed >= 4 && one.slice(0, needed) === other.slice(0, needed) && other.length >= needed;
}
