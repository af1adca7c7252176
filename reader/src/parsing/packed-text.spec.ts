import { isLong, packedParts, PackedText } from './packed-text.js';

const MILLION = 2 ** 20;

describe('a packed text', () => {
  // A surrogate pair crosses the border of two parts, once in a two-byte part and once in a one-byte part.
  const narrow = 'a'.repeat(MILLION - 5) + 'né!\n';
  const text = `${narrow}😀${'中'.repeat(40)}${'b'.repeat(MILLION)}ÿ${'c'.repeat(MILLION)}`;
  const packed = new PackedText([...packedParts(text)]);

  it('has the length and content of the text', () => {
    expect(packed.length).toBe(text.length);
    expect(packed.slice() === text).toBe(true);
  });

  it.each([
    [0, 0],
    [0, 10],
    [MILLION - 10, MILLION + 10],
    [MILLION - 1, MILLION],
    [MILLION, MILLION + 1],
    [MILLION - 3, 2 * MILLION + 7],
    [2 * MILLION + 40, 2 * MILLION + 60],
    [text.length - 3, text.length + 3],
    [text.length, text.length + 1],
    [20, 10],
  ])('slices from %i to %i like a string', (start, end) => {
    expect(packed.slice(start, end)).toBe(text.slice(start, end));
  });

  it('uses two bytes per code unit only in parts that need them', () => {
    expect([...packedParts(text)].map(({ bytes, isWide }) => [bytes.length, isWide])).toEqual([
      [2 * MILLION, true],
      [2 * MILLION, true],
      [MILLION, false],
      [text.length - 3 * MILLION, false],
    ]);
  });

  it('is used for long texts only', () => {
    expect([isLong('a'.repeat(MILLION)), isLong('a'.repeat(MILLION + 1))]).toEqual([false, true]);
    expect([[...packedParts('')], new PackedText([]).slice()]).toEqual([[], '']);
  });
});
