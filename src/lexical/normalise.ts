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
  // Arabic: the forms of yeh, and teh marbuta (Larkey, Ballesteros, Connell 2002, light normalisation).
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  ة: 'ه',
};
const SPECIAL_LETTERS = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'gu');

/** Dashes used as a hyphen or a minus inside a word. */
const HYPHENS = /[\u2010-\u2013\u2212]/g;

/** Invisible characters inside a word (soft hyphen, joiners), and invisible word separators. */
const INVISIBLE = /\u00ad|\u200d|\u2060|\ufeff/g;
const INVISIBLE_BREAKS = /[\u200b\u200c]/g;

/** Diacritics of Latin and Greek letters. In other scripts marks are vowels or form other letters. */
const DIACRITICS = /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu;

/** Arabic vowel signs, hamza on its carriers and tatweel; Hebrew points. */
const OPTIONAL_MARKS =
  /(?:(?=\p{Script_Extensions=Arabic})(?:\u0640|[\u064b-\u065f]|\u0670)|(?=\p{Script=Hebrew})\p{M})/gu;

/** Arabic-Indic and Persian digits. */
const DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** Positions before superscripts and subscripts that follow a digit: `10⁶` becomes `10^6`. */
const RAISED =
  /(?<=[\p{Nd}\u2080-\u2089])(?=[\u207a\u207b]?[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]|\u207f)/gu;
const LOWERED = /(?<=\p{Nd})(?=[\u2080-\u2089])/gu;

/** Positions before a fraction that follows a digit (`1½`), and before a footnote number that follows a word (`revenue²`). */
const FRACTION = /(?<=\p{Nd})(?=[\u00bc-\u00be\u2150-\u215f\u2189])/gu;
const NOTE = /(?<=\p{L}{4})(?=[\u00b2\u00b3\u00b9\u2070\u2074-\u2079])/gu;

/** Brackets and signs of superscripts and subscripts: `10^{-3}`, `10^(6)`, `10^+6`. */
const SCRIPT = /(?<=[\p{L}\p{N}])([\^_])(?:[{(]\+?(-?[\p{L}\p{N}]{1,20})[-+]?[})]|\+(?=\p{N}))/gu;

const ASCII = /^[\t\n\r -~]*$/;

/**
 * Normalises text for word comparison: unifies compatibility forms (NFKC), converts to lower case, removes diacritics that
 * are commonly omitted, and writes superscripts and subscripts in one notation (`10^6`).
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
