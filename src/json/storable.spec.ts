import { parseJson } from './exact-json.js';
import { printStorable } from './storable.js';

describe('storable JSON', () => {
  it.each([
    ['a\0b\0\0c', 'abc'],
    ['half \ud800 of a pair', 'half \ufffd of a pair'],
    ['a whole pair 𝄞', 'a whole pair 𝄞'],
    ['C:\\u0000 and C:\\\\u0000', 'C:\\u0000 and C:\\\\u0000'],
    ['\\\0', '\\'],
  ])('of %j', (text, expected) => {
    expect(JSON.parse(printStorable({ text }))).toEqual({ text: expected });
  });

  it('keeps every digit', () => {
    expect(printStorable(parseJson('{"n":9007199254740993,"t":"\\u0000"}'))).toBe(
      '{"n":9007199254740993,"t":""}',
    );
  });
});
