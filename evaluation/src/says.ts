/**
 * Scripts without spaces between words: each character stands for itself. A minus sign belongs to its number, and the end
 * of names such as C++ and C# to the name.
 */
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|−?(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+(?:[.:]\p{N}+)*(?:(?<=\p{L})(?:\+\+|#(?![\p{L}\p{N}])))?/gu;

/** Where a number begins, perhaps with its currency. Behind a word, a number or a unit the same character is a hyphen. */
const MINUS = /(?<=^|[\s([{<=:;,/|*~≈\p{Sc}“‘`]|(?<!\d)["'])[-–](\p{Sc}?)(?=\d)/gmu;

/** A negative amount as accounts write it. */
const IN_PARENTHESES = /\((\p{Sc}?\d[\d.,]*)\)/gu;

const ARTICLES = new Set(['a', 'an', 'the']);

/**
 * Whether a text has a phrase in it, word for word, whatever the case, punctuation, articles and thousands separators:
 * the normalisation of SQuAD (Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016).
 * "15" does not say "5", and "45" not "-45". "(45)" says both: in accounts it is negative, elsewhere an aside.
 */
export function says(text: string, phrase: string): boolean {
  const phrases = readings(phrase);
  return readings(text).some((reading) => phrases.some((one) => ` ${reading} `.includes(` ${one} `)));
}

/** Whether anything is left of a phrase that could be looked for. */
export function isSayable(phrase: string): boolean {
  return normalised(phrase) !== '';
}

/** With numbers in parentheses as they stand, and as negative ones. */
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
