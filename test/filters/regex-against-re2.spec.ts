import { fc } from '../support/properties.js';
import { RE2JS } from 're2js';
import { translatePattern } from '../../src/filters/regex/pattern.js';
import { openTestDatabase, type TestDatabase } from '../support/database.js';

const LETTERS = [
  'a',
  'b',
  'B',
  'k',
  'K',
  '\u212a',
  's',
  'ſ',
  'é',
  'É',
  'e\u0301',
  'σ',
  'ς',
  '漢',
  '😀',
  '7',
  '_',
  '-',
  ']',
  '^',
  '.',
  ' ',
  '\n',
  '\t',
  '\\',
];
const texts = fc.array(fc.constantFrom(...LETTERS), { maxLength: 8 }).map((letters) => letters.join(''));

const literal = fc.constantFrom(
  'a',
  'b',
  'B',
  'k',
  'é',
  'σ',
  '漢',
  '😀',
  '7',
  '_',
  '-',
  ' ',
  '\\n',
  '\\t',
  '\\.',
  '\\\\',
  '\\x41',
  '\\x{212a}',
  '\\101',
  '\\Qa.b\\E',
  ']',
  '}',
  '{',
  'e\u0301',
);
const classMember = fc.constantFrom(
  'a',
  'b-k',
  'A-Z',
  'é',
  '\\d',
  '\\w',
  '\\s',
  '\\D',
  '\\W',
  '\\S',
  '[:alpha:]',
  '[:^digit:]',
  '[:punct:]',
  '\\pL',
  '\\p{Lu}',
  '\\P{Greek}',
  '\\p{^Han}',
  '\\-',
  '\\]',
  '^',
  '漢-😀',
  '\\x61',
  '.',
  '$',
);
const characterClass = fc
  .tuple(fc.constantFrom('[', '[^', '[]', '[^]'), fc.array(classMember, { minLength: 1, maxLength: 3 }))
  .map(([open, members]) => `${open}${members.join('')}]`);
const atom = fc.oneof(
  { arbitrary: literal, weight: 5 },
  { arbitrary: characterClass, weight: 3 },
  fc.constantFrom(
    '.',
    '^',
    '$',
    '\\A',
    '\\z',
    '\\b',
    '\\B',
    '\\d',
    '\\W',
    '\\s',
    '\\pL',
    '\\PL',
    '\\p{Ll}',
    '\\p{Greek}',
    '\\p{Any}',
  ),
);
const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  piece: fc
    .tuple(
      fc.oneof(
        { maxDepth: 3, depthIdentifier: 'pattern' },
        { arbitrary: atom, weight: 4 },
        fc
          .tuple(
            fc.constantFrom('(', '(?:', '(?i:', '(?s:', '(?m:', '(?-s:', '(?P<n>', '(?<m>'),
            tie('pattern'),
          )
          .map(([open, inner]) => `${open}${inner})`),
      ),
      fc.constantFrom('', '', '', '', '*', '+', '?', '*?', '{2}', '{0,2}', '{1,}', '{0}', '{3}?'),
    )
    .map(([part, quantifier]) => part + quantifier),
  pattern: fc
    .tuple(
      fc.constantFrom('', '', '', '(?i)', '(?m)', '(?s)', '(?im)', '(?i-s)'),
      fc.array(
        fc.array(tie('piece'), { maxLength: 3, depthIdentifier: 'pattern' }).map((pieces) => pieces.join('')),
        { minLength: 1, maxLength: 2, depthIdentifier: 'pattern' },
      ),
    )
    .map(([flags, branches]) => flags + branches.join('|')),
}));
const flags = fc.subarray(['i', 'm', 's']).map((chosen) => chosen.join(''));

const PUBLIC_FLAGS = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL };

function expression(source: string, chosen: string): RE2JS | undefined {
  const value = Array.from(chosen).reduce((sum, flag) => sum | PUBLIC_FLAGS[flag as 'i' | 'm' | 's'], 0);
  try {
    return RE2JS.compile(source, value);
  } catch {
    return undefined;
  }
}

describe('translated patterns', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());

  async function matches(are: string, texts: readonly string[]): Promise<readonly boolean[]> {
    const rows: readonly { readonly matches: boolean }[] = await database.dataSource.query(
      'select text collate "C" ~ $2::text as matches from unnest($1::text[]) with ordinality as each(text, place) order by place',
      [texts, are],
    );
    return rows.map((row) => row.matches);
  }

  it('match in PostgreSQL like in RE2', async () => {
    const cases = fc.tuple(pattern, flags, fc.array(texts, { minLength: 8, maxLength: 8 }));
    await fc.assert(
      fc.asyncProperty(cases, async ([source, chosen, subjects]) => {
        const re2 = expression(source, chosen);
        const translated = translatePattern(source, chosen);
        if (!('are' in translated)) {
          const isComplex = translated.defect.startsWith('the pattern is too complex');
          expect(isComplex).toBe(re2 !== undefined);
          return;
        }
        expect(await matches(translated.are, subjects)).toEqual(subjects.map((text) => re2?.test(text)));
      }),
      { numRuns: Number(process.env['REGEX_RUNS'] ?? 500) },
    );
  }, 3_600_000);

  it.each([
    '[\\pL\\d]',
    '\\pL',
    '\\p{Lu}',
    '\\p{Greek}',
    '\\PN',
    '[[:^ascii:]]',
    '(?i)[a-zé]',
    '(?i)\\p{Lu}',
    '(?i)k',
    '(?i)ſ',
    '(?i)[^σ]',
    '\\w',
    '.',
    '(?s).',
    '\\s',
  ])('match the same characters: %s', async (source) => {
    const translated = translatePattern(source, '');
    if (!('are' in translated)) throw new Error(translated.defect);
    const re2 = RE2JS.compile(source);
    const characters = Array.from({ length: 0x3000 }, (_, index) => index + 1)
      .concat([
        0xd7ff, 0xe000, 0xfb00, 0xff21, 0xff41, 0x10400, 0x10428, 0x1d400, 0x1e900, 0x1e943, 0x1f600, 0x20000,
        0x10ffff,
      ])
      .map((codePoint) => String.fromCodePoint(codePoint));
    const found = await matches(translated.are, characters);
    const wrong = characters.filter((character, index) => re2.test(character) !== found[index]);
    expect(wrong.map((character) => character.codePointAt(0)?.toString(16))).toEqual([]);
  });
});
