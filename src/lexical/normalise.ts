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

const ASCII = /^[\t\n\r -~]*$/;

/**
 * Text in the form in which words are compared: compatibility forms unified (NFKC), lower case, diacritics folded
 * where leaving them out is common practice.
 */
export function normalise(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
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
}
