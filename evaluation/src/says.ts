/**
 * In scripts without spaces every character is a token. A minus sign belongs to its number, and a suffix such as in C++
 * and C# to the name.
 */
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|−?(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+(?:[.:]\p{N}+)*(?:(?<=\p{L})(?:\+\+|#(?![\p{L}\p{N}])))?/gu;

/**
 * A minus sign before a number, possibly with a currency. After a word, number or unit the same character is a hyphen.
 */
const MINUS = /(?<=^|[\s([{<=:;,/|*~≈\p{Sc}“‘`]|(?<!\d)["'])[-–](\p{Sc}?)(?=\d)/gmu;

/** A negative amount in accounting notation. */
const IN_PARENTHESES = /\((\p{Sc}?\d[\d.,]*)\)/gu;

const ARTICLES = new Set(['a', 'an', 'the']);

/**
 * Whether a text contains a phrase, ignoring case, punctuation, articles and thousands separators: the normalisation of
 * SQuAD (Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016). "15" does not contain
 * "5", nor "45" "-45". "(45)" matches both: in accounting it is negative, elsewhere an aside.
 */
export function says(text: string, phrase: string): boolean {
  const phrases = readings(phrase);
  return readings(text).some((reading) => phrases.some((one) => ` ${reading} `.includes(` ${one} `)));
}

/** Whether a phrase is not empty after normalisation. */
export function isSayable(phrase: string): boolean {
  return normalised(phrase) !== '';
}

/** Variants of a text with numbers in parentheses as they are, and as negative numbers. */
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
