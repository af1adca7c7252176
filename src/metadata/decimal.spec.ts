import { normaliseDecimal } from './literal.js';

describe('normaliseDecimal', () => {
  it.each([
    ['0.10', '0.1'],
    ['1e-1', '0.1'],
    ['100', '100'],
    ['1.00e2', '100'],
    ['1E+3', '1000'],
    ['+5', '5'],
    ['-0', '0'],
    ['-0.0e5', '0'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['007.50', '7.5'],
    ['-12.340', '-12.34'],
    ['9007199254740993', '9007199254740993'],
    ['0.1000000000000000055', '0.1000000000000000055'],
    ['1e-7', '0.0000001'],
    ['12e-3', '0.012'],
  ])('of %s is %s', (text, normal) => {
    expect(normaliseDecimal(text)).toBe(normal);
  });

  it('covers the range of a double', () => {
    expect(normaliseDecimal('1e308')).toBe(`1${'0'.repeat(308)}`);
    expect(normaliseDecimal('1e309')).toBeUndefined();
    expect(normaliseDecimal('1e-324')).toBe(`0.${'0'.repeat(323)}1`);
    expect(normaliseDecimal('1e-325')).toBeUndefined();
    expect(normaliseDecimal('1e1000000000')).toBeUndefined();
    expect(normaliseDecimal('0e1000000000')).toBe('0');
  });

  it('rejects more than 1,000 characters', () => {
    expect(normaliseDecimal(`0.${'1'.repeat(998)}`)).toHaveLength(1_000);
    expect(normaliseDecimal(`0.${'1'.repeat(999)}`)).toBeUndefined();
  });

  it.each([
    '',
    '+',
    '.',
    'e5',
    '1e',
    '1e+',
    'NaN',
    'Infinity',
    '0x10',
    '1,5',
    ' 1',
    '1 ',
    '1_000',
    '--1',
    '١',
  ])('rejects %j', (text) => {
    expect(normaliseDecimal(text)).toBeUndefined();
  });
});
