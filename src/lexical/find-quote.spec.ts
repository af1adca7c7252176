import { findQuote } from './find-quote.js';

/** The words that are found, one string for each range. */
function found(text: string, quote: string): string[] {
  const words = text.split(/\s+/);
  return findQuote(words, quote).map(({ first, last }) => words.slice(first, last + 1).join(' '));
}

describe('a quotation in the words of a text', () => {
  it.each([
    [
      'unchanged',
      'One. The lamp is lit at dusk. Two.',
      'The lamp is lit at dusk.',
      ['The lamp is lit at dusk.'],
    ],
    [
      'with other word breaks',
      'an exam- ple of 10 6 lamps',
      'example of 10^6 lamps',
      ['exam- ple of 10 6 lamps'],
    ],
    [
      'with Markdown syntax',
      'It is washed once a year here',
      '**washed** _once_ a `year`',
      ['washed once a year'],
    ],
    ['with other case and ligatures', 'THE ﬁrst LAMP', 'the first lamp', ['THE ﬁrst LAMP']],
    ['of a single short word', 'a lamp', 'lamp', ['lamp']],
    ['after a repeated start', 'the lamp is dark. the lamp is lit', 'The lamp is lit', ['the lamp is lit']],
    ['in Chinese', '充电三小时。 保修', '充电三小时', ['充电三小时。']],
  ])('%s', (_, text, quote, expected) => {
    expect(found(text, quote)).toEqual(expected);
  });

  it('is found in parts if other words are between them', () => {
    const text = 'The main mirror was washed footnote in the spring of that year';
    const quote = 'The main mirror was washed in the spring of that year';
    expect(found(text, quote)).toEqual(['The main mirror was washed', 'in the spring of that year']);
  });

  it('is found in part if it continues on the next page', () => {
    const text = 'Two keepers look after the lamp and';
    expect(found(text, 'Two keepers look after the lamp and the mirror of the observatory.')).toEqual([text]);
  });

  it.each([
    ['of other words', 'The lamp is lit at dusk', 'Nobody has washed the windows of the tower yet'],
    ['inside of words', 'concatenate', 'cat'],
    ['without letters', 'a b', '— …'],
    ['in an empty text', '', 'lamp'],
  ])('%s is not found', (_, text, quote) => {
    expect(found(text, quote)).toEqual([]);
  });
});
