/**
 * Matches a token: a word, a number with its minus sign, or a name with its suffix, such as C++ or C#. In scripts
 * without spaces every character is a token.
 */
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|−?(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+(?:[.:]\p{N}+)*(?:(?<=\p{L})(?:\+\+|#(?![\p{L}\p{N}])))?/gu;

/**
 * Matches a minus sign before a number or before a currency sign and a number. After a word, number or unit, the same
 * character is a hyphen and does not match.
 */
const MINUS = /(?<=^|[\s([{<=:;,/|*~≈\p{Sc}“‘`]|(?<!\d)["'])[-–](\p{Sc}?)(?=\d)/gmu;

/** Matches a negative amount in accounting notation, such as (45). */
const IN_PARENTHESES = /\((\p{Sc}?\d[\d.,]*)\)/gu;

const ARTICLES = new Set(['a', 'an', 'the']);

/**
 * Whether a text contains a phrase, ignoring case, punctuation, articles and thousands separators: the normalisation of
 * SQuAD (Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016). "15" does not contain
 * "5", and "45" does not contain "-45". "(45)" matches both "45" and "-45", because parentheses mean a negative number
 * in accounting.
 */
export function says(text: string, phrase: string): boolean {
  const phrases = readings(phrase);
  return readings(text).some((reading) => phrases.some((one) => ` ${reading} `.includes(` ${one} `)));
}

/** Whether a phrase is not empty after normalisation. */
export function isSayable(phrase: string): boolean {
  return normalised(phrase) !== '';
}

/**
 * Returns the normalised text twice: with numbers in parentheses as positive numbers, and with these numbers as
 * negative numbers.
 */
function readings(text: string): string[] {
  return [normalised(text), normalised(text.replaceAll(IN_PARENTHESES, ' -$1 '))];
}

function normalised(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/(?<=\d),(?=\d{3})/g, '')
    .replaceAll('−', '-')
    .replaceAll(MINUS, '$1−');
  return (plain.match(TOKEN) ?? []).filter((token) => !ARTICLES.has(token)).join(' ');
}
