import { joined, placeOf, wordsOf } from './marks.js';

describe('the marks in a passage', () => {
  const text = 'The keeper is relieved every Tuesday.\n\nKeepers of the lamp rest.';

  it('are words with the stems of the question, without stop words', () => {
    const words = wordsOf(text, 'Who relieves the keeper?').map(({ start, end }) => text.slice(start, end));
    expect(words).toEqual(['keeper', 'relieved', 'Keepers']);
    expect(wordsOf(text, 'of the')).toEqual([]);
  });

  it('include a quote across lines', () => {
    const place = placeOf('The lamp\n  is lit (at\tdusk).', 'lamp is lit (at dusk)');
    expect(place).toEqual({ start: 4, end: 27 });
    expect(placeOf('The lamp', 'lantern')).toBeNull();
    expect(placeOf('lamp lamp', 'lamp', { start: 1, end: 9 })).toEqual({ start: 5, end: 9 });
    expect(placeOf('lamp', ' ')).toBeNull();
  });
});

describe('the lines of a page', () => {
  const long = 'before or after the end of such 180 day period';
  it.each([
    [`${long} she shall not\nhave returned`, `${long} she shall not have returned`],
    [`${long},\n(if later) then`, `${long}, (if later) then`],
    [`${long}.\nthen`, `${long}.\nthen`],
    [`${long}\nThe Executive`, `${long}\nThe Executive`],
    [`${long}\n\nthen`, `${long}\n\nthen`],
    ['milk\neggs', 'milk\neggs'],
  ])('of %j are joined where a sentence continues', (text, expected) => {
    expect(joined(text)).toBe(expected);
  });
});
