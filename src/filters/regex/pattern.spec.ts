import { translatePattern } from './pattern.js';

/** RE2 pattern, flags, and the translation without its prefix `***:(?w)`. */
const TRANSLATED: readonly (readonly [source: string, flags: string, are: string])[] = [
  ['a.b', '', 'a[^\\u000a]b'],
  ['^a$', '', '\\Aa\\Z'],
  ['^a$', 'm', '^a$'],
  ['.', '', '[^\\u000a]'],
  ['.', 's', '.'],
  ['a|b|cd', '', 'a|b|cd'],
  ['x(a|b)y', '', 'x(?:a|b)y'],
  ['x(?:a|b)y', '', 'x(?:a|b)y'],
  ['(?P<n>a)(?<m>b)', '', '(?:a)(?:b)'],
  ['a*', '', 'a*'],
  ['a+', '', 'a+'],
  ['a?', '', 'a?'],
  ['a{3}', '', 'a{3,3}'],
  ['a{2,}', '', 'a{2,2}a*'],
  ['a{2,4}', '', 'a{2,4}'],
  ['a{0}', '', ''],
  ['a{0,}', '', 'a*'],
  ['a{1}', '', 'a{1,1}'],
  ['a{1,1}', '', 'a{1,1}'],
  ['a{,3}', '', 'a\\u007b\\u002c3\\u007d'],
  ['a{b}', '', 'a\\u007bb\\u007d'],
  ['a*?b+?c??d{2}?', '', 'a*b+c?d{2,2}'],
  ['(ab)*', '', '(?:ab)*'],
  ['(ab){2}', '', '(?:ab){2,2}'],
  ['(a*)*', '', '(?:a*)*'],
  ['(a*)+', '', '(?:a*)+'],
  ['(a+)*', '', '(?:a+)*'],
  ['(a|b)*', '', '(?:a|b)*'],
  ['a{255}', '', 'a{255,255}'],
  ['a{300}', '', 'a{255,255}a{45,45}'],
  ['a{256,450}', '', 'a{255,255}a{1,195}'],
  ['a{400,550}', '', 'a{255,255}a{145,255}a{0,40}'],
  ['a{300,}', '', 'a{255,255}a{45,45}a*'],
  ['(?:)*', '', '(?:)*'],
  ['()', '', '(?:)'],
  ['a||b', '', 'a||b'],
  ['\\b*', '', ''],
  ['\\b+\\B', '', '\\y\\Y'],
  ['(\\b)?', '', ''],
  ['\\Aa\\z', '', '\\Aa\\Z'],
  ['[a-c]', '', '[a-c]'],
  ['[^a-c]', '', '[^a-c]'],
  ['[]a]', '', '[\\u005da]'],
  ['[^]a]', '', '[^\\u005da]'],
  ['[a-]', '', '[\\u002da]'],
  ['[-a]', '', '[\\u002da]'],
  ['[a\\]b]', '', '[\\u005da-b]'],
  ['[\\x41-\\x{43}]', '', '[A-C]'],
  ['[\\d\\s]', '', '[\\u0009-\\u000a\\u000c-\\u000d\\u00200-9]'],
  ['\\d\\s\\w', '', '[0-9][\\u0009-\\u000a\\u000c-\\u000d\\u0020][0-9A-Z\\u005fa-z]'],
  ['\\D\\S\\W', '', '[^0-9][^\\u0009-\\u000a\\u000c-\\u000d\\u0020][^0-9A-Z\\u005fa-z]'],
  ['[^\\x{0}-\\x{10ffff}]', '', '[^\\u0000-\\U0010ffff]'],
  ['(?:[^\\x{0}-\\x{10ffff}])*a', '', '(?:[^\\u0000-\\U0010ffff])*a'],
  ['[!-[:digit:]]', '', '[\\u0021-\\u005bdgit]\\u005d'],
  ['a*(?i)*', '', '(?:a*)*'],
  ['a\\Q\\E*', '', 'a*'],
  [
    '\\x41\\x{1F600}\\101\\07\\a\\f\\n\\r\\t\\v',
    '',
    'A\\U0001f600A\\u0007\\u0007\\u000c\\u000a\\u000d\\u0009\\u000b',
  ],
  ['\\0177', '', '\\u000f7'],
  ['\\.\\*\\\\', '', '\\u002e\\u002a\\u005c'],
  ['\\Qa.b\\E+', '', 'a\\u002eb+'],
  ['\\Qa*', '', 'a\\u002a'],
  ['\\Qab\\Ec', '', 'abc'],
  ['k', 'i', '[Kk\\u212a]'],
  ['(?i)k(?-i)k', '', '[Kk\\u212a]k'],
  ['(?i:k)k', '', '(?:[Kk\\u212a])k'],
  ['(?s).(?-s).', '', '.[^\\u000a]'],
  ['(?s-i:.)a', 'i', '(?:.)[Aa]'],
  ['(?m)^(?-m)$', '', '^\\Z'],
  ['(?U)a', '', 'a'],
  ['(?im)^k', '', '^[Kk\\u212a]'],
  ['[a-c]', 'i', '[A-Ca-c]'],
  ['\\w', 'i', '[0-9A-Z\\u005fa-z\\u017f\\u212a]'],
  ['[^k]', 'i', '[^Kk\\u212a]'],
  ['\\W', 'i', '[^0-9A-Z\\u005fa-z\\u017f\\u212a]'],
  ['[[:lower:]]', 'i', '[A-Za-z\\u017f\\u212a]'],
  ['[[:^lower:]]', 'i', '[^A-Za-z\\u017f\\u212a]'],
  ['é😀\uffff', '', '\\u00e9\\U0001f600\\uffff'],
  ['a(?i)b|c', '', 'a[Bb]|[Cc]'],
  ['(?:a(?i)b)c', '', '(?:a[Bb])c'],
  ['[[:alnum:]]', '', '[0-9A-Za-z]'],
  ['[[:^alnum:]]', '', '[^0-9A-Za-z]'],
  ['[[:alpha:]]', '', '[A-Za-z]'],
  ['[[:^alpha:]]', '', '[^A-Za-z]'],
  ['[[:ascii:]]', '', '[\\u0000-\\u007f]'],
  ['[[:^ascii:]]', '', '[^\\u0000-\\u007f]'],
  ['[[:blank:]]', '', '[\\u0009\\u0020]'],
  ['[[:^blank:]]', '', '[^\\u0009\\u0020]'],
  ['[[:cntrl:]]', '', '[\\u0000-\\u001f\\u007f]'],
  ['[[:^cntrl:]]', '', '[^\\u0000-\\u001f\\u007f]'],
  ['[[:digit:]]', '', '[0-9]'],
  ['[[:^digit:]]', '', '[^0-9]'],
  ['[[:graph:]]', '', '[\\u0021-\\u007e]'],
  ['[[:^graph:]]', '', '[^\\u0021-\\u007e]'],
  ['[[:lower:]]', '', '[a-z]'],
  ['[[:^lower:]]', '', '[^a-z]'],
  ['[[:print:]]', '', '[\\u0020-\\u007e]'],
  ['[[:^print:]]', '', '[^\\u0020-\\u007e]'],
  ['[[:punct:]]', '', '[\\u0021-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007e]'],
  ['[[:^punct:]]', '', '[^\\u0021-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u007e]'],
  ['[[:space:]]', '', '[\\u0009-\\u000d\\u0020]'],
  ['[[:^space:]]', '', '[^\\u0009-\\u000d\\u0020]'],
  ['[[:upper:]]', '', '[A-Z]'],
  ['[[:^upper:]]', '', '[^A-Z]'],
  ['[[:word:]]', '', '[0-9A-Z\\u005fa-z]'],
  ['[[:^word:]]', '', '[^0-9A-Z\\u005fa-z]'],
  ['[[:xdigit:]]', '', '[0-9A-Fa-f]'],
  ['[[:^xdigit:]]', '', '[^0-9A-Fa-f]'],
  ['a b # c\nd', 'x', 'abd'],
  ['a\\ b[ #]', 'x', 'a\\u0020b[\\u0020\\u0023]'],
  ['a #', 'x', 'a'],
  ['#a\n#b', 'x', ''],
  ['[]#] #', 'x', '[\\u0023\\u005d]'],
  ['[^] ] b', 'x', '[^\\u0020\\u005d]b'],
  ['[[:alpha:] ] b', 'x', '[\\u0020A-Za-z]b'],
  ['[\\] ] b', 'x', '[\\u0020\\u005d]b'],
  ['\\Q a #\\E b', 'x', '\\u0020a\\u0020\\u0023b'],
  ['\\Q a', 'x', '\\u0020a'],
  ['a\tb\vc\fd\re', 'x', 'abcde'],
  ['\\# \\n', 'x', '\\u0023\\u000a'],
  ['a', 'imsx', '[Aa]'],
];

describe('translatePattern', () => {
  it.each(TRANSLATED)('translates %j with the flags %j', (source, flags, are) => {
    expect(translatePattern(source, flags)).toHaveProperty('are', `***:(?w)${are}`);
  });

  it.each<[string, string, string]>([
    ['\\pL', 'aéǅ漢ª\u{10400}', '5_ \u0301\u{1f600}'],
    ['\\PL', '5_ \u0301\u{1f600}', 'aéǅ漢ª'],
    ['\\p{Lu}', 'AÉ\u{10400}', 'aéǅ\u{10428}'],
    ['\\p{^Lu}', 'aé5', 'AÉ'],
    ['\\P{^Lu}', 'AÉ', 'aé5'],
    ['\\p{Greek}', 'αΩ', 'aа'],
    ['\\p{Any}', 'a\n\u{10ffff}\0', ''],
    ['\\p{Ascii}', 'a~\t', 'é漢'],
    ['\\p{Lc}', 'aAǅ', '5漢'],
    ['\\p{Assigned}', 'a漢\t', '\u0378'],
    ['[\\pN_]', '5_Ⅷ', 'a '],
    ['[^\\pN_]', 'a ', '5_Ⅷ'],
  ])('expands the class %s', (source, inside, outside) => {
    const translated = translatePattern(source, '');
    if (!('are' in translated)) throw new Error(translated.defect);
    // JavaScript gives the expanded class the same meaning.
    const ranges = translated.are
      .replace('***:(?w)', '')
      .replace(/\\U([\da-f]{8})/g, (_, hex: string) => `\\u{${hex}}`);
    const expression = new RegExp(`^${ranges}$`, 'su');
    expect(Array.from(inside).filter((character) => !expression.test(character))).toEqual([]);
    expect(Array.from(outside).filter((character) => expression.test(character))).toEqual([]);
  });
});

describe('a rejected pattern', () => {
  const defectOf = (source: string, flags = '') => {
    const translated = translatePattern(source, flags);
    return 'defect' in translated ? translated.defect : undefined;
  };

  it.each([
    ['(', 'error parsing regexp: missing closing ): `(`'],
    ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
    ['a**', 'error parsing regexp: invalid nested repetition operator: `**`'],
    ['\\p{No such}', 'error parsing regexp: invalid character class range: `\\p{No such}`'],
  ])('reports the syntax error: %s', (source, defect) => {
    expect(defectOf(source)).toBe(defect);
  });

  it('reports a syntax error after removal of white space', () => {
    expect(defectOf('[ a', 'x')).toBe('error parsing regexp: missing closing ]: `[ a`');
  });

  const TOO_MANY_PARTS = 'the pattern is too complex: with expanded repetitions, it has more than 1000 parts';
  const TOO_MANY_CHOICES =
    'the pattern is too complex: with expanded repetitions, it has more than 200 classes, alternatives and optional characters';
  const TOO_MANY_TRANSITIONS = 'the pattern is too complex: its automaton has too many transitions';
  const TOO_MANY_ASSERTIONS = 'the pattern is too complex: it has too many consecutive assertions';
  const TOO_MANY_RANGES = 'the pattern is too complex: its classes have too many ranges';

  it.each([
    `(?:${'a'.repeat(990)}){1000}`,
    'a{1000}'.repeat(140),
    '('.repeat(100) + 'a' + '){1000}'.repeat(100),
  ])('is rejected before compilation if its repetitions are too long: %s', (source) => {
    expect(defectOf(source)).toBe(TOO_MANY_PARTS);
  });

  it.each<[string, (size: number) => string, number, string]>([
    ['a pattern with many states', (size) => `[ab]*a[ab]{${size}}c`, 199, TOO_MANY_CHOICES],
    ['a gap of any characters', (size) => `a.{${size}}b`, 200, TOO_MANY_CHOICES],
    ['a gap of variable length', (size) => `a.{0,${size}}b`, 200, TOO_MANY_CHOICES],
    ['repeated alternatives', (size) => `(?:a|b){${size}}`, 200, TOO_MANY_CHOICES],
    ['repeated characters', (size) => `(?:abc){${size}}`, 250, TOO_MANY_PARTS],
    ['assertions in a row', (size) => '\\b'.repeat(size), 4, TOO_MANY_ASSERTIONS],
    ['repeated assertions', (size) => `(?:\\b\\B){${size}}`, 2, TOO_MANY_ASSERTIONS],
    ['assertions among optional parts', (size) => `(?:\\ba?){${size}}!`, 4, TOO_MANY_ASSERTIONS],
    [
      'assertions in a loop',
      (size) => `(?:${'\\b'.repeat(size)}a${'\\b'.repeat(size)})*`,
      2,
      TOO_MANY_ASSERTIONS,
    ],
    ['assertions in alternatives', (size) => `(?:a|${'\\b'.repeat(size)})\\b`, 3, TOO_MANY_ASSERTIONS],
    ['optional parts in a row', (size) => `(?:a?){${size}}`, 45, TOO_MANY_TRANSITIONS],
    ['a gap in a loop', (size) => `(?:a.{0,${size}})*`, 200, TOO_MANY_CHOICES],
    [
      'a loop of words',
      (size) => `(?:${Array.from({ length: size }, () => 'ab').join('|')})*`,
      31,
      TOO_MANY_TRANSITIONS,
    ],
    ['long classes in a row', (size) => '\\pL'.repeat(size), 9, TOO_MANY_RANGES],
  ])('reports the limit for %s', (_, pattern, largest, defect) => {
    expect([defectOf(pattern(largest)), defectOf(pattern(largest + 1))]).toEqual([undefined, defect]);
  });

  it.each([
    ['a'.repeat(1_000), ''],
    ['lorem ipsum '.repeat(80), 'i'],
    [Array.from({ length: 90 }, (_, index) => `\\bword${index}\\b`).join('|'), ''],
    ['^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$', ''],
    ['error.{0,100}timeout', ''],
    ['(?:^|\\s)\\pL{1,150}(?:\\s|$)', ''],
  ])('accepts %s', (source, flags) => {
    expect(defectOf(source, flags)).toBeUndefined();
  });
});
