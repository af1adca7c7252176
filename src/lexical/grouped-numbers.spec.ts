import { analyseDocument, analyseQuery, contentTerms, normalise } from './analyse.js';
import { groupedNumbers } from './grouped-numbers.js';

const found = (text: string): string[] =>
  groupedNumbers(normalise(text)).map(({ whole, decimals, isAmbiguous }) => {
    return `${whole}${decimals === '' ? '' : `.${decimals}`}${isAmbiguous ? '?' : ''}`;
  });

const SPELLINGS = [
  '1234567',
  '1,234,567',
  '1.234.567',
  "1'234'567",
  '1’234’567',
  '1 234 567',
  '1\u00a0234\u00a0567',
  '1\u202f234\u202f567',
  '1\u2009234\u2009567',
  '１，２３４，５６７',
  '١٬٢٣٤٬٥٦٧',
  '۱٬۲۳۴٬۵۶۷',
];

describe('numbers with thousands separators', () => {
  it.each(
    SPELLINGS.flatMap((asked) =>
      SPELLINGS.filter((written) => written !== asked).map((written) => [asked, written]),
    ),
  )('%p finds %p', (asked, written) => {
    const [term, ...others] = analyseQuery(asked);
    expect([term, others]).toEqual(['1234567', []]);
    expect(analyseDocument(`They sold ${written} pieces.`).terms.get('1234567')).toBe(1);
    expect(contentTerms(written)).toContain('1234567');
  });

  it.each([
    ['EUR 12.500,75 and $12,500.75', ['12500.75', '12500.75']],
    ['from 1,200-1,500 or 1.200–1.500', ['1200?', '1500?', '1200?', '1500?']],
    ['1,00,000 rupees and 12,34,567', ['100000', '1234567']],
    ['12 500 people', ['12500?']],
    ['about 12,500.', ['12500?']],
    ['12,500km', ['12500?']],
    ["CHF 12'500", ['12500']],
    ['10.100.200.250', ['10100200250?']],
    ['192.168.100.999', ['192168100999']],
  ])('are read in %p', (text, numbers) => {
    expect(found(text)).toEqual(numbers);
  });

  it.each([
    '1, 234',
    '0.125 and 0,125',
    '3.14159',
    '2024-01-15, 15.01.2024, 01/15/2024',
    '192.168.0.1',
    'v1.234.567 and lib-2.345.678',
    '1.234.56',
    '1,2345 and 12345,678,9',
    'in 2023 10 people',
    '12:345',
    '1\n234\t567',
    '1,234567',
    '555-123-4567',
  ])('are not found in %p', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('changes no other term and no length of a text', () => {
    const { terms, length } = analyseDocument('Of ports 110,143,993 on 10.100.200.250 and version 1.234');
    expect(length).toBe(11);
    for (const term of ['110', '143', '993', '10.100.200.250', '1.234', '234']) {
      expect(terms.get(term)).toBeGreaterThan(0);
    }
  });

  it('asks for both readings of an ambiguous number', () => {
    expect(analyseQuery('version 1.234')).toEqual(['version', '1234', '1.234', '1', '234']);
    expect(analyseQuery('10.100.200.250')).toContain('10.100.200.250');
    expect(analyseQuery('12 500')).toEqual(['12500', '12', '500']);
    expect(analyseQuery('12,500')).toEqual(['12500', '12', '500']);
  });

  it('reads a long line of digits and separators in proportion to its length', () => {
    expect(groupedNumbers('1,234'.repeat(40_000))).toHaveLength(0);
    expect(groupedNumbers('1,23'.repeat(40_000))).toHaveLength(0);
    expect(groupedNumbers(`${'1,234,'.repeat(40_000)}x`).length).toBeLessThan(2);
  });
});
