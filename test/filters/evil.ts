const LENGTH = 100_000;

/**
 * Patterns that do not terminate in reasonable time on backtracking engines or engines that build the whole
 * automaton.
 */
export const EVIL: readonly string[] = [
  '(a+)+$',
  '^(a+)+$',
  '(a|a)*$',
  '(a|aa)+$',
  '^(a|a?)+$',
  '(.*a){20}',
  '(.*a){25}$',
  '(.*)*x',
  '(x+x+)+y',
  '(a*)*b',
  '(a*)+b',
  '((a*)*)*b',
  '(a?){250}a{250}',
  '(a?){20}a{20}',
  `${'a?'.repeat(28)}a{28}`,
  '([a-z]+)*\\d',
  '(\\w+\\s?)*$',
  '^(\\w+\\s?)*$',
  '(a+a+)+b',
  '((a+)+)+b',
  '(a{1,30}){1,30}b',
  '(?:(?:(?:a{1,10}){1,10}){1,9})b',
  `${'\\b'.repeat(499)}x`,
  '(?:\\ba?){90}!',
  '(?:a?\\b){100}b',
  '(?m)(?:(?:\\b|^|$)?a?){8}',
  '[ab]*a[ab]{12}c',
  '[ab]*a[ab]{100}c',
  '[ab]*a[ab]{250}c',
  '[ab]*a[ab]{999}c',
  'a.{500}b.{400}c',
  '.*.*.*.*.*.*.*.*.*.*c',
  '(.+)+c',
  '\\b(\\w+)\\b.*\\b(\\w+)\\b.*\\d',
  '(?i)(a|A|á)*z',
  '\\pL{500}\\d',
  '(\\pL+\\s*){30}\\d',
  '\\pL'.repeat(300),
  '(?:\\pL|\\pN|\\pP|\\pS|\\pZ|\\pM)*!!',
  `${'('.repeat(400)}a${')*'.repeat(200)}b`,
  `${'(?:'.repeat(30)}a${'|b)*'.repeat(30)}c`,
  `${'(?:'.repeat(150)}a${'|b)*'.repeat(150)}c`,
  'a'.repeat(1_000),
  '.'.repeat(1_000),
  '(?:a{0,50}b{0,50}c{0,50}){0,3}d',
  '(ab|ba|aab|bba|abab)*c{0,3}d',
  `${'(?:a|b|ab)'.repeat(80)}c`,
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(\\d+|[a-z]+|\\s+|.)*\\x01',
  '(?m)^(a+)+$',
  '(?s)(.|\\n)*Z',
  '(?:[^a]|a[^b]|ab[^c]){900}d',
  '\\B(\\B\\w)*\\B!',
  '(?:\\b|a)*!',
  '(^|a|$)*!',
  '([ab][bc][cd][de]){100}!',
  '(?:a[ab]*b[ab]{8})?a[ab]{14}c',
];

/** Texts of 100,000 characters that are the worst case for these patterns. */
export const EVIL_TEXTS: readonly string[] = [
  'a'.repeat(LENGTH),
  `${'a'.repeat(LENGTH - 1)}!`,
  noise('ab'),
  noise('abc'),
  noise('aab\n'),
  noise('words and. 7 漢é'),
];

/** Returns pseudo-random characters of an alphabet, the same in every run. */
function noise(alphabet: string): string {
  const letters = Array.from(alphabet);
  let state = 12_345;
  return Array.from({ length: LENGTH }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return letters[(state >>> 8) % letters.length];
  }).join('');
}
