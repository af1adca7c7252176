import { parseJson, printJson } from './exact-json.js';
import { ExactNumber } from './exact-json.js';

describe('exact JSON', () => {
  it.each([
    '9007199254740993',
    '-1234567890123456789',
    '0.1000000000000000055',
    '{"a":[1,12345678901234567890,"9007199254740993"]}',
  ])('prints %s as it was parsed', (text) => {
    expect(printJson(parseJson(text))).toBe(text);
  });

  it('parses numbers that a double represents exactly as plain numbers', () => {
    expect(parseJson('[0.1,1e3,9007199254740992,1.50000000000000000]')).toEqual([
      0.1, 1000, 9007199254740992, 1.5,
    ]);
  });

  it('keeps digits inside strings, escapes included', () => {
    expect(parseJson('{"a\\"1":"x 9007199254740993 \\\\"}')).toEqual({ 'a"1': 'x 9007199254740993 \\' });
  });

  it('treats __proto__ as an ordinary key', () => {
    const value = parseJson('{"__proto__":9007199254740993}') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('distinguishes exact numbers from doubles', () => {
    expect(parseJson('[9007199254740993]')).toEqual([new ExactNumber('9007199254740993')]);
  });

  it('reports malformed text as JSON.parse does', () => {
    expect(() => parseJson('{"a":12345678901234567890')).toThrow(SyntaxError);
  });
});
