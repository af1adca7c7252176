import { stemmer } from 'stemmer';
import { normalise } from './normalise.js';

const words = (list: string): string[] => list.split(/\s+/);

/**
 * English words that the index leaves out: the classic list of Lucene, and the words that questions are made of. They
 * would be most of what a question reads of the inverted index; without them ranking is the same within noise. Words that are
 * often something else are kept (the month of May, type I). What is stored depends on this list.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  words(`a an and are as at be but by for if in into is it no not of on or such that the their then there these they
    this to was will with what which who whom whose how when where why do does did has have had were been being from
    you he she we his her its our your my them than can could should would about`),
);

/** What says nothing either when a sentence is held against a question: how the question is put. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...words(`above after again all also am any because before below between both doing done down during each either else
    ever every few further get gets give given having here hers him i itself just know let like many may me might mine
    more most much must need nor now off once only other ours out over own please same shall so some tell theirs those
    through too under until up upon us very want whether while within without yours`),
]);

/** Chinese and Japanese function and question words: pairs of characters do not reach across them. */
const FUNCTION_PHRASE =
  /什么时候|多长时间|多少钱|为什么|怎么样|什么|多少|多久|多长|怎么|怎样|如何|哪里|哪个|哪些|是否|可以|需要|请问|[的是了吗呢在和与为谁]|何年|何時|何日|何か月|何/gu;

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
export const UNSPACED_CHARACTER = `(?=[\\p{L}\\p{M}\\p{N}])[${UNSPACED}]`;
const WORD = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`;

/** A run of an unspaced script, or words joined by `-`, `_`, `.`, `'`, `@`, `^`; `c++` and `c#` keep their sign. */
const TOKEN = new RegExp(
  `((?:${UNSPACED_CHARACTER})+)|${WORD}(?:(?:[-_.'@]|\\^-?)${WORD})*(?:\\+\\+|#)?`,
  'gu',
);

/** A character with the marks that belong to it. */
const CHARACTER = /\P{M}\p{M}*/gu;

const JOINERS = /[-_.'@+#^]+/;

/** The power of a unit or a variable (`m^2`, `s^-1`) is written without a sign as often as with one. */
const POWER = /(?<![\p{L}\p{M}])([\p{L}\p{M}]{1,3})\^(?=-?\p{N}|\p{L}$)/gu;

/** Chemical formulas and variables: `h_2o`, `c_6h_12o_6`, `x_1`. */
const FORMULA = /^(?:\p{L}{1,2}_?\p{N}{1,3})+\p{L}{0,2}(?=\^|$)/u;

/** `utf_8` is `utf8` as well. */
const NUMBERED = /(?<=\p{L})_(?=\p{N})/gu;

const NOTE_OF_WORD = /^\p{L}[\p{L}\p{M}]{3,}\^\p{N}+$/u;
const IDENTIFIER = /[\p{N}_@+#]/u;
const ACRONYM = /^\p{L}(?:\.\p{L})+$/u;
const CONTRACTION = /(?:n't|'(?:s|d|m|ll|re|ve))$/;
const ENGLISH_LETTERS = /^[a-z]+$/;

/** Two hiragana are grammar (endings, particles) far more often than a word. */
const HIRAGANA_PAIR = /^\p{sc=Hiragana}{2}$/u;

/** Terms of a text to be stored, with their frequencies. */
export function analyseDocument(text: string): AnalysedDocument {
  const terms = new Map<string, number>();
  let length = 0;
  for (const token of tokensOf(text)) {
    if ('characters' in token) {
      length += token.characters.length;
      for (const term of [...token.characters, ...pairs(token.characters)]) count(terms, term);
    } else {
      const found = wordTerms(token.word, STOP_WORDS);
      length += Math.max(found.parts.length, found.whole.length);
      for (const term of [...found.whole, ...found.parts]) count(terms, term);
    }
  }
  return { terms, length };
}

/** Terms of a question, each once, in the order of the question. */
export function analyseQuery(text: string): readonly string[] {
  const terms = tokensOf(text).flatMap((token) => {
    if ('characters' in token) return pairsOrOne(token.characters);
    const { whole, parts } = wordTerms(token.word, STOP_WORDS);
    return [...whole, ...parts];
  });
  return [...new Set(terms)];
}

/**
 * Terms of a text in order, repetitions included, without function words: for holding sentences of a text against a
 * question.
 */
export function contentTerms(text: string): string[] {
  return tokensOf(text).flatMap((token) => {
    if ('word' in token) {
      const { whole, parts } = wordTerms(token.word, FUNCTION_WORDS);
      return [...whole, ...parts];
    }
    return token.characters
      .join('')
      .split(FUNCTION_PHRASE)
      .flatMap((part) => pairsOrOne(part.match(CHARACTER) ?? []))
      .filter((term) => !HIRAGANA_PAIR.test(term));
  });
}

/** A word, or the characters of a run of an unspaced script. */
type Token = { readonly word: string } | { readonly characters: readonly string[] };

function tokensOf(text: string): Token[] {
  return Array.from(normalise(text).matchAll(TOKEN), ([token, run]) =>
    run === undefined ? { word: token } : { characters: run.match(CHARACTER) ?? [] },
  );
}

interface WordTerms {
  /** An identifier such as `e-1042`, `v2.1`, `snake_case` or `c++` as a whole; empty for other words. */
  readonly whole: readonly string[];
  /** Stems of its parts, without stop words. */
  readonly parts: readonly string[];
}

function wordTerms(source: string, stopWords: ReadonlySet<string>): WordTerms {
  if (ACRONYM.test(source)) return { whole: [], parts: [capped(source.replaceAll('.', ''))] };
  const token = withoutScripts(source);
  const pieces = token.replace(CONTRACTION, '').split(JOINERS).filter(Boolean);
  const parts = pieces.filter((piece) => !stopWords.has(piece)).map(stem);
  const compound = pieces[0] !== token && IDENTIFIER.test(token) && !NOTE_OF_WORD.test(token);
  return { whole: compound ? [capped(token.replace(NUMBERED, ''))] : [], parts };
}

/** A word whose raised and lowered figures are written in line, as many writers do: `m2`, `h2o`. */
function withoutScripts(token: string): string {
  if (!/[\^_]/.test(token)) return token;
  return token.replace(POWER, '$1').replace(FORMULA, (formula) => formula.replaceAll('_', ''));
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

function pairsOrOne(characters: readonly string[]): readonly string[] {
  return characters.length > 1 ? pairs(characters) : characters;
}

function count(terms: Map<string, number>, term: string): void {
  terms.set(term, (terms.get(term) ?? 0) + 1);
}
