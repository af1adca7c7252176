import { spellingIn, withWordsJoined } from './hyphens.js';

describe('withWordsJoined', () => {
  const joined = (text: string): string => withWordsJoined(text, spellingIn([text]));

  it('keeps the hyphen of a word in a text whose broken words have another hyphen', () => {
    const text = 'A light\u2010\nhouse, a wind\u2010\nmill, a part-\ntime keeper with a co-owner.';
    expect(joined(text)).toBe('A lighthouse,\na windmill,\na part-time\nkeeper with a co-owner.');
  });

  it('removes the hyphen that only breaks words, whatever the first part is', () => {
    expect(joined('The ex\u2010\npenditure of the co-owner.')).toBe('The expenditure\nof the co-owner.');
  });

  it('keeps U+2010 where words have it within a line', () => {
    expect(joined('The self\u2010\ngoverning and self\u2010made town, a co-owner.')).toBe(
      'The self-governing\nand self\u2010made town, a co-owner.',
    );
  });

  it('removes soft hyphens', () => {
    expect(joined('light\u00ad\nhouse')).toBe('lighthouse\n');
    expect(joined('light\u00adhouse')).toBe('lighthouse');
  });
});
