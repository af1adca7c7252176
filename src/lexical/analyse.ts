import { stemmer } from 'stemmer';

const words = (list: string): string[] => list.split(/\s+/);

/**
 * English stop words: Lucene's classic list and question words. Reading the posting lists of these words would be most
 * of the work of a search, and the ranking without these words is the same within noise. Words with a second meaning
 * are not stop words ("may" is also a month, "I" also a numeral). A change of this list requires a reindex.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  words(`a an and are as at be but by for if in into is it no not of on or such that the their then there these they
    this to was will with what which who whom whose how when where why do does did has have had were been being from
    you he she we his her its our your my them than can could should would about`),
);

/** Additional stop words for comparing sentences with a question. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set([
  ...STOP_WORDS,
  ...words(`above after again all also am any because before below between both doing done down during each either else
    ever every few further get gets give given having here hers him i itself just know let like many may me might mine
    more most much must need nor now off once only other ours out over own please same shall so some tell theirs those
    through too under until up upon us very want whether while within without yours`),
]);

/**
 * Matches Chinese and Japanese function and question words. Texts are split at these words, so that no character pair
 * contains a part of such a word.
 */
const FUNCTION_PHRASE =
  /什么时候|多长时间|多少钱|为什么|怎么样|什么|多少|多久|多长|怎么|怎样|如何|哪里|哪个|哪些|是否|可以|需要|请问|[的是了吗呢在和与为谁]|何年|何時|何日|何か月|何/gu;

/** Term frequencies and length of a text for BM25. */
export interface AnalysedDocument {
  readonly terms: Map<string, number>;
  /**
   * Number of positions. Each word except stop words has one position, and each character of an unspaced script has one
   * position. Further terms at the same position (parts of an identifier, character pairs) do not count.
   */
  readonly length: number;
}

/** Maximum length of a term in code points. */
const MAX_TERM = 64;

/** Scripts without spaces between words, and Korean, whose words include their particles. */
const UNSPACED = ['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar']
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join('');
export const UNSPACED_CHARACTER = `(?=[\\p{L}\\p{M}\\p{N}])[${UNSPACED}]`;
const WORD = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`;

/**
 * Matches a run of an unspaced script, or words joined by `-`, `_`, `.`, `'`, `@`, `^`. Includes the signs of `c++` and
 * `c#`.
 */
const TOKEN = new RegExp(
  `((?:${UNSPACED_CHARACTER})+)|${WORD}(?:(?:[-_.'@]|\\^-?)${WORD})*(?:\\+\\+|#)?`,
  'gu',
);

/** Matches a character with its combining marks. */
const CHARACTER = /\P{M}\p{M}*/gu;

const JOINERS = /[-_.'@+#^]+/;

/** Matches a power of a unit or a variable (`m^2`, `s^-1`), which is often written without `^`. */
const POWER = /(?<![\p{L}\p{M}])([\p{L}\p{M}]{1,3})\^(?=-?\p{N}|\p{L}$)/gu;

/** Matches chemical formulas and variables: `h_2o`, `c_6h_12o_6`, `x_1`. */
const FORMULA = /^(?:\p{L}{1,2}_?\p{N}{1,3})+\p{L}{0,2}(?=\^|$)/u;

/** Matches the underscore of `utf_8`, an alternative spelling of `utf8`. */
const NUMBERED = /(?<=\p{L})_(?=\p{N})/gu;

const NOTE_OF_WORD = /^\p{L}[\p{L}\p{M}]{3,}\^\p{N}+$/u;
const IDENTIFIER = /[\p{N}_@+#]/u;
const ACRONYM = /^\p{L}(?:\.\p{L})+$/u;
const CONTRACTION = /(?:n't|'(?:s|d|m|ll|re|ve))$/;
const ENGLISH_LETTERS = /^[a-z]+$/;

/** Matches a pair of hiragana, which are mostly endings and particles. */
const HIRAGANA_PAIR = /^\p{sc=Hiragana}{2}$/u;

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

/** Returns the distinct terms of a question in order. */
export function analyseQuery(text: string): readonly string[] {
  const terms = tokensOf(text).flatMap((token) => {
    if ('characters' in token) return pairsOrOne(token.characters);
    const { whole, parts } = wordTerms(token.word, STOP_WORDS);
    return [...whole, ...parts];
  });
  return [...new Set(terms)];
}

/**
 * Returns the terms of a text in order, with repetitions and without function words. Used to compare sentences with a
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
  /** A whole identifier such as `e-1042`, `v2.1`, `snake_case` or `c++`; empty for other words. */
  readonly whole: readonly string[];
  /** Stems of the parts of the word, without stop words. */
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

/**
 * Removes the signs of superscripts and subscripts from units and formulas: `m^2` becomes `m2`, `h_2o` becomes `h2o`.
 */
function withoutScripts(token: string): string {
  if (!/[\^_]/.test(token)) return token;
  return token.replace(POWER, '$1').replace(FORMULA, (formula) => formula.replaceAll('_', ''));
}

/** Stems English words by Porter's algorithm (1980). Keeps other scripts, codes and numbers unchanged. */
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

/** Letters without a Unicode decomposition, with their common replacements. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ħ: 'h',
  ı: 'i',
  ł: 'l',
  ŧ: 't',
  þ: 'th',
  ς: 'σ',
  ё: 'е',
  // Arabic: variants of yeh and kaf, and teh marbuta (light normalisation by Larkey, Ballesteros and Connell, 2002).
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
};
const SPECIAL_LETTERS = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/** Dashes that replace a hyphen or a minus inside a word. */
const HYPHENS = /[\u2010-\u2013\u2212]/g;

/** Invisible characters inside a word (soft hyphen, joiners), and invisible word separators. */
const INVISIBLE = /\u00ad|\u200d|\u2060|\ufeff/g;
const INVISIBLE_BREAKS = /[\u200b\u200c]/g;

/** Diacritics of Latin and Greek letters. In other scripts, combining marks are vowels or distinguish letters. */
const DIACRITICS = /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu;

/** Marks that writers often omit: Arabic vowel signs, hamza on its carriers and tatweel; Hebrew points. */
const OPTIONAL_MARKS =
  /(?:(?=\p{Script_Extensions=Arabic})(?:\u0640|[\u064b-\u065f]|\u0670)|(?=\p{Script=Hebrew})\p{M})/gu;

/** Arabic-Indic and Persian digits. */
const DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** Matches the position between a digit and a superscript or subscript: `10⁶` becomes `10^6`. */
const RAISED =
  /(?<=[\p{Nd}\u2080-\u2089])(?=[\u207a\u207b]?[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]|\u207f)/gu;
const LOWERED = /(?<=\p{Nd})(?=[\u2080-\u2089])/gu;

/**
 * Matches the position between a digit and a fraction (`1½`), and between a word and a footnote number (`revenue²`).
 */
const FRACTION = /(?<=\p{Nd})(?=[\u00bc-\u00be\u2150-\u215f\u2189])/gu;
const NOTE = /(?<=\p{L}{4})(?=[\u00b2\u00b3\u00b9\u2070\u2074-\u2079])/gu;

/** Brackets and signs of superscripts and subscripts: `10^{-3}`, `10^(6)`, `10^+6`. */
const SCRIPT = /(?<=[\p{L}\p{N}])([\^_])(?:[{(]\+?(-?[\p{L}\p{N}]{1,20})[-+]?[})]|\+(?=\p{N}))/gu;

const ASCII = /^[\t\n\r -~]*$/;

/**
 * Normalises text for word comparison: unifies compatibility forms (NFKC), converts to lower case, removes diacritics
 * that are commonly omitted, and writes superscripts and subscripts in one notation (`10^6`).
 */
export function normalise(text: string): string {
  if (ASCII.test(text)) return plainScripts(text.toLowerCase());
  const composed = text
    .replace(RAISED, '^')
    .replace(LOWERED, '_')
    .replace(FRACTION, ' ')
    .replace(NOTE, ' ')
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(DIACRITICS, '')
    .replace(OPTIONAL_MARKS, '')
    .normalize('NFC')
    .replace(SPECIAL_LETTERS, (letter) => LETTERS[letter] ?? letter)
    .replace(DIGITS, (digit) => String((digit.codePointAt(0) ?? 0) & 0xf))
    .replace(HYPHENS, '-')
    .replace(/\u2019/g, "'")
    .replace(INVISIBLE, '')
    .replace(INVISIBLE_BREAKS, ' ');
  return plainScripts(composed);
}

function plainScripts(text: string): string {
  return /[\^_]/.test(text)
    ? text.replace(SCRIPT, (_, sign: string, script = '') => sign + String(script))
    : text;
}
