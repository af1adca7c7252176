import { fc } from '../../test/support/properties.js';
import { analyseDocument, analyseQuery, contentTerms } from './analyse.js';

const termsOf = (text: string): string[] => [...analyseDocument(text).terms.keys()];

describe('text analysis', () => {
  it('counts stems and excludes stop words', () => {
    const { terms, length } = analyseDocument("The committee's budgets and the committees' budget");
    expect(Object.fromEntries(terms)).toEqual({ committe: 2, budget: 2 });
    expect(length).toBe(4);
  });

  it.each([
    ['Error E-1042', ['error', 'e-1042', 'e', '1042']],
    ['v2.1', ['v2.1', 'v2', '1']],
    ['snake_case_name', ['snake_case_name', 'snake', 'case', 'name']],
    ['ops@example.com', ['ops@example.com', 'op', 'exampl', 'com']],
    ['C++ or C#', ['c++', 'c', 'c#']],
    ['10–20', ['10-20', '10', '20']],
  ])('indexes the identifier %s as a whole and in parts', (text, terms) => {
    expect(termsOf(text)).toEqual(terms);
  });

  it.each([
    ['a power of ten', ['10^6', '10⁶', '10^{6}', '10^(6)', '10^+6'], ['10^6', '10', '6']],
    ['a negative power', ['10^-3', '10⁻³', '10^{-3}', '10^{−3}', '10^−3'], ['10^-3', '10', '3']],
    ['a chemical formula', ['H_2O', 'H₂O', 'H2O', 'h_2o', 'H_{2}O'], ['h2o']],
    ['a longer formula', ['C_6H_12O_6', 'C₆H₁₂O₆', 'C6H12O6'], ['c6h12o6']],
    ['an ion', ['SO_4^2-', 'SO₄²⁻', 'SO_4^{2-}'], ['so4^2', 'so4', '2']],
    ['a fraction', ['¾', '3/4', '3⁄4'], ['3', '4']],
    ['a mixed number', ['1½', '1 ½', '1 1/2'], ['1', '2']],
    ['a square', ['120 m²', '120 m^2', '120 m2'], ['120', 'm2']],
    ['a rate', ['s⁻¹', 's^-1', 's-1'], ['s-1', 's', '1']],
    ['an equation', ['E = mc²', 'E=mc^2', 'E=mc^{2}'], ['e', 'mc2']],
    ['a base', ['1010₂', '1010_2'], ['1010_2', '1010', '2']],
    ['a footnote number', ['Revenue²', 'Revenue^2'], ['revenu', '2']],
    ['a numbered name', ['utf_8'], ['utf8', 'utf', '8']],
  ])('unifies the spellings of %s', (_, spellings, terms) => {
    for (const spelling of spellings) {
      expect([spelling, termsOf(spelling)]).toEqual([spelling, terms]);
      expect([spelling, analyseQuery(spelling)]).toEqual([spelling, terms]);
    }
  });

  it('separates a superscript from the digits of its base', () => {
    expect(analyseQuery('106').filter((term) => termsOf('10⁶ 10^6').includes(term))).toEqual([]);
  });

  it('counts an identifier with its parts once per position', () => {
    expect(analyseDocument('E-1042').length).toBe(2);
    expect(analyseDocument('the IT of').length).toBe(0);
  });

  it('splits compounds and joins abbreviations', () => {
    expect(termsOf('a well-known U.S. port, e.g. Boston')).toEqual([
      'well',
      'known',
      'us',
      'port',
      'eg',
      'boston',
    ]);
  });

  it.each([
    ['German', 'Größe der Straßen in Zürich', 'GROSSE strassen zurich'],
    ['French', 'l’été à la crème', 'ete creme'],
    ['combining characters', 'cafe\u0301', 'café'],
    ['ligatures and full width', 'ﬁre Ｆｕｌｌ', 'fire full'],
    ['Russian', 'ПОДЪЁМ', 'подъем'],
    ['Arabic', 'المَكْتَبَةُ', 'المكتبه'],
    ['Greek', 'Ο ΛΌΓΟΣ', 'λογος'],
    ['Turkish', 'İSTANBUL', 'istanbul'],
    ['Arabic digits', '١٢٣', '123'],
    ['Hindi, with vowel marks', 'हिन्दी', 'हिन्दी'],
    ['a soft hyphen', 'co\u00adoperation', 'cooperation'],
    ['Chinese', '北京大学的图书馆', '图书馆'],
    ['Japanese', '東京タワーの高さ', 'タワー'],
    ['Japanese in half width', 'ﾀﾜｰ', 'タワー'],
    ['Korean', '서울에서 검색합니다', '검색'],
    ['Thai', 'ห้องสมุดแห่งชาติ', 'ห้องสมุด'],
    ['Lao', 'ພາສາລາວ', 'ລາວ'],
    ['Khmer', 'ភាសាខ្មែរ', 'ខ្មែរ'],
    ['Burmese', 'မြန်မာဘာသာ', 'မြန်မာ'],
  ])('matches a query in %s', (_, text, query) => {
    const terms = analyseQuery(query);
    expect(terms.length).toBeGreaterThan(0);
    expect(termsOf(text)).toEqual(expect.arrayContaining([...terms]));
  });

  it('indexes unspaced scripts as characters and pairs, and queries pairs', () => {
    expect(termsOf('图书馆')).toEqual(['图', '书', '馆', '图书', '书馆']);
    expect(analyseDocument('图书馆').length).toBe(3);
    expect(analyseQuery('图书馆')).toEqual(['图书', '书馆']);
    expect(analyseQuery('馆')).toEqual(['馆']);
  });

  it('splits adjacent scripts', () => {
    expect(analyseQuery('2024年GDP增长')).toEqual(['2024', '年', 'gdp', '增长']);
  });

  it('keeps Thai characters together with their marks', () => {
    expect(analyseQuery('ง่าย')).toEqual(['ง่า', 'าย']);
  });

  it('returns distinct query terms in order', () => {
    expect(analyseQuery('port of Boston: ports, boston')).toEqual(['port', 'boston']);
  });

  it.each(['', ' \n\t', '... !?', '😀 👍🏽', 'the and of'])('finds no terms in %j', (text) => {
    expect(analyseDocument(text)).toEqual({ terms: new Map(), length: 0 });
    expect(analyseQuery(text)).toEqual([]);
  });

  it('truncates a term to 64 code points', () => {
    const [term] = analyseQuery('𐐨'.repeat(100));
    expect(Array.from(term!)).toHaveLength(64);
    expect(analyseQuery('x'.repeat(10_000))).toEqual(['x'.repeat(64)]);
    expect(analyseQuery('x.'.repeat(10_000))).toEqual(['x'.repeat(64)]);
    expect(Math.max(...analyseQuery('x1-'.repeat(10_000)).map((each) => each.length))).toBe(64);
  });
});

describe('contentTerms', () => {
  it.each([
    ['Tell me how much the sensors need', ['sensor']],
    ["Don't open E-1042 or its lid", ['open', 'e-1042', 'e', '1042', 'lid']],
    ['a sensor, other sensors', ['sensor', 'sensor']],
    ['保修期多长时间', ['保修', '修期']],
    ['保証期間はどのくらいですか', ['保証', '証期', '期間', '間は']],
    ['what about it?', []],
  ])('returns the content terms of %p', (text, terms) => {
    expect(contentTerms(text)).toEqual(terms);
  });
});

describe('text analysis of random texts', () => {
  const text = fc.string({ unit: 'binary', maxLength: 200 });

  it('matches a text with itself as the query', () => {
    fc.assert(
      fc.property(text, (t) => {
        const { terms } = analyseDocument(t);
        expect(analyseQuery(t).filter((term) => !terms.has(term))).toEqual([]);
      }),
    );
  });

  it('ignores letter case', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'b', 'X', 'Z', '-', '_', '.', ' ', 'é', '1'), maxLength: 60 }),
        (t) => {
          expect(analyseDocument(t.toUpperCase())).toEqual(analyseDocument(t.toLowerCase()));
        },
      ),
    );
  });

  it('adds up the lengths of separate texts', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const both = analyseDocument(`${a}\n${b}`);
        expect(both.length).toBe(analyseDocument(a).length + analyseDocument(b).length);
      }),
    );
  });
});
