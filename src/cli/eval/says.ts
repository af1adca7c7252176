/** Scripts without spaces between words: each character stands for itself. */
const TOKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])[\p{L}\p{M}\p{N}])+(?:[.:]\p{N}+)*/gu;

const ARTICLES = new Set(['a', 'an', 'the']);

/**
 * Whether a text has a phrase in it, word for word, whatever the case, punctuation, articles and thousands separators:
 * the normalisation of SQuAD (Rajpurkar et al., "SQuAD: 100,000+ Questions for Machine Comprehension of Text", 2016).
 * "15" does not say "5".
 */
export function says(text: string, phrase: string): boolean {
  return ` ${normalised(text)} `.includes(` ${normalised(phrase)} `);
}

/** Whether anything is left of a phrase that could be looked for. */
export function isSayable(phrase: string): boolean {
  return normalised(phrase) !== '';
}

function normalised(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/(?<=\d),(?=\d{3})/g, '');
  return (plain.match(TOKEN) ?? []).filter((token) => !ARTICLES.has(token)).join(' ');
}
