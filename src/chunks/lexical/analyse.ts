import { stemmer } from 'stemmer';
import { normalise } from './normalise.js';
import { STOP_WORDS } from './stop-words.js';

/** What BM25 needs to know about a text. */
export interface AnalysedDocument {
  /** Occurrences by term. */
  readonly terms: Map<string, number>;
  /**
   * Positions in the text: words that are not stop words, and characters of scripts without spaces. Further terms at
   * the same position (the parts of an identifier, character pairs) do not make a text longer.
   */
  readonly length: number;
}

/** Longest term, in code points. */
const MAX_TERM = 64;

/** Scripts whose words are not separated (and Korean, whose words carry their particles). */
const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');
const UNSPACED_CHARACTER = `(?=[\\p{L}\\p{M}\\p{N}])[${UNSPACED}]`;
const WORD = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`;

/** A run of an unspaced script, or words joined by `-`, `_`, `.`, `'`, `@`; `c++` and `c#` keep their sign. */
const TOKEN = new RegExp(`((?:${UNSPACED_CHARACTER})+)|${WORD}(?:[-_.'@]${WORD})*(?:\\+\\+|#)?`, 'gu');

/** A character with the marks that belong to it. */
const CHARACTER = /\P{M}\p{M}*/gu;

const JOINERS = /[-_.'@+#]+/;
const IDENTIFIER = /[\p{N}_@+#]/u;
const ACRONYM = /^\p{L}(?:\.\p{L})+$/u;
const CONTRACTION = /(?:n't|'(?:s|d|m|ll|re|ve))$/;
const ENGLISH_LETTERS = /^[a-z]+$/;

/** Terms of a text to be stored, with their frequencies. */
export function analyseDocument(text: string): AnalysedDocument {
  const terms = new Map<string, number>();
  let length = 0;
  for (const [token, run] of normalise(text).matchAll(TOKEN)) {
    if (run === undefined) {
      const { whole, parts } = word(token);
      length += Math.max(parts.length, whole === undefined ? 0 : 1);
      if (whole !== undefined) count(terms, whole);
      for (const part of parts) count(terms, part);
    } else {
      const characters = run.match(CHARACTER) ?? [];
      length += characters.length;
      for (const character of characters) count(terms, character);
      for (const pair of pairs(characters)) count(terms, pair);
    }
  }
  return { terms, length };
}

/** Terms of a question, each once, in the order of the question. */
export function analyseQuery(text: string): readonly string[] {
  const terms = new Set<string>();
  for (const [token, run] of normalise(text).matchAll(TOKEN)) {
    if (run === undefined) {
      const { whole, parts } = word(token);
      if (whole !== undefined) terms.add(whole);
      for (const part of parts) terms.add(part);
    } else {
      const characters = run.match(CHARACTER) ?? [];
      for (const term of characters.length > 1 ? pairs(characters) : characters) terms.add(term);
    }
  }
  return [...terms];
}

interface Word {
  /** The whole of an identifier such as `e-1042`, `v2.1`, `snake_case` or `c++`. */
  readonly whole: string | undefined;
  /** Stems of its parts, without stop words. */
  readonly parts: readonly string[];
}

function word(token: string): Word {
  if (ACRONYM.test(token)) return { whole: undefined, parts: [capped(token.replaceAll('.', ''))] };
  const pieces = token.replace(CONTRACTION, '').split(JOINERS).filter(Boolean);
  const parts = pieces.filter((piece) => !STOP_WORDS.has(piece)).map(stem);
  const compound = pieces[0] !== token && IDENTIFIER.test(token);
  return { whole: compound ? capped(token) : undefined, parts };
}

/** Porter's algorithm (1980) is for English words; other scripts, codes and numbers stay as they are. */
function stem(piece: string): string {
  return capped(ENGLISH_LETTERS.test(piece) ? stemmer(piece) : piece);
}

function capped(term: string): string {
  return term.length <= MAX_TERM
    ? term
    : Array.from(term.slice(0, 2 * MAX_TERM))
        .slice(0, MAX_TERM)
        .join('');
}

function pairs(characters: readonly string[]): string[] {
  return characters.slice(1).map((character, i) => `${characters[i] ?? ''}${character}`);
}

function count(terms: Map<string, number>, term: string): void {
  terms.set(term, (terms.get(term) ?? 0) + 1);
}
