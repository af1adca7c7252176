/** Letters that decomposition leaves alone, with what people type instead of them. */
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

/** Dashes that stand for a hyphen or a minus inside a word. */
const HYPHENS = /[\u2010-\u2013\u2212]/g;

/** Soft hyphens and joiners are invisible inside a word; the other two separate words. */
const INVISIBLE = /\u00ad|\u200d|\u2060|\ufeff/g;
const INVISIBLE_BREAKS = /[\u200b\u200c]/g;

/** Marks on Latin and Greek letters. Elsewhere a mark is a vowel or makes another letter. */
const DIACRITICS = /(?<=[\p{Script=Latin}\p{Script=Greek}])[\u0300-\u036f]+/gu;

/** Arabic vowel signs, hamza on its carriers and tatweel; Hebrew points. */
const OPTIONAL_MARKS =
  /(?:(?=\p{Script_Extensions=Arabic})(?:\u0640|[\u064b-\u065f]|\u0670)|(?=\p{Script=Hebrew})\p{M})/gu;

/** Arabic-Indic and Persian digits. */
const DIGITS = /[\u0660-\u0669\u06f0-\u06f9]/g;

/** Raised figures behind a figure are no digits of the same number, nor are lowered ones: `10⁶` is `10^6`. */
const RAISED =
  /(?<=[\p{Nd}\u2080-\u2089])(?=[\u207a\u207b]?[\u00b2\u00b3\u00b9\u2070\u2074-\u2079]|\u207f)/gu;
const LOWERED = /(?<=\p{Nd})(?=[\u2080-\u2089])/gu;

/** A fraction behind a figure, and the number of a note behind a word, stand apart: `1½`, `revenue²`. */
const FRACTION = /(?<=\p{Nd})(?=[\u00bc-\u00be\u2150-\u215f\u2189])/gu;
const NOTE = /(?<=\p{L}{4})(?=[\u00b2\u00b3\u00b9\u2070\u2074-\u2079])/gu;

/** Brackets and signs around what is raised or lowered: `10^{-3}`, `10^(6)`, `10^+6`. */
const SCRIPT = /(?<=[\p{L}\p{N}])([\^_])(?:[{(]\+?(-?[\p{L}\p{N}]{1,20})[-+]?[})]|\+(?=\p{N}))/gu;

const ASCII = /^[\t\n\r -~]*$/;

/**
 * Text in the form in which words are compared: compatibility forms unified (NFKC), lower case, diacritics folded
 * where leaving them out is common practice, raised and lowered figures in one notation (`10^6`).
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
