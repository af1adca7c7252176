import { overlap, wordsOf } from './word-overlap.js';

const between = (one: string, other: string): number => overlap(wordsOf(one), wordsOf(other));

describe('the words that two texts have in common', () => {
  it('are all of them, whatever their order, case and punctuation', () => {
    expect(between('Net sales, 2022: 195,929', '195,929 net SALES (2022)')).toBe(1);
  });

  it('are none of them', () => {
    expect(between('harbour', 'recipe')).toBe(0);
    expect(between('', 'recipe')).toBe(0);
    expect(between('', '')).toBe(0);
    expect(between('- . a', '1 2 3')).toBe(0); // single characters are no words
  });

  it('count twice among those of both, each once', () => {
    expect(between('net net sales rose', 'net sales fell')).toBeCloseTo((2 * 2) / 6);
    expect(between('Größe über', 'größe')).toBeCloseTo(2 / 3);
  });
});
