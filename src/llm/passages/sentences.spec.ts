import { cellsOf, sentencesOf } from './sentences.js';

const texts = (text: string): string[] => sentencesOf(text).map((sentence) => sentence.text);

describe('sentences of a passage', () => {
  it.each([
    ['One. Two! Three?', ['One.', 'Two!', 'Three?']],
    [
      'It weighs approx. 3 kg, e.g. Five bags. See Fig. 2 for more.',
      ['It weighs approx. 3 kg, e.g. Five bags.', 'See Fig. 2 for more.'],
    ],
    [
      'Dr. Keller works at Acme Inc. in Bern. She left.',
      ['Dr. Keller works at Acme Inc. in Bern.', 'She left.'],
    ],
    ['A soft\nline break. Next.', ['A soft\nline break.', 'Next.']],
    ['First paragraph\n\nSecond paragraph', ['First paragraph', 'Second paragraph']],
    ['# Title\nText under it.', ['# Title', 'Text under it.']],
    ['- one\n- two\n  goes on\n3. three', ['- one', '- two\n  goes on', '3. three']],
    ['| a | b |\n|---|---|\n| 1 | 2 |', ['| a | b |', '| 1 | 2 |']],
    ['a | b\n--- | ---\n1 | 2\n3', ['a | b', '1 | 2', '3']],
    ['Fir | 1 | 2\nOak | 4 | 5\nElm | 3', ['Fir | 1 | 2', 'Oak | 4 | 5', 'Elm | 3']],
    ['Run cat log | grep late\nto see it.', ['Run cat log | grep late\nto see it.']],
    ['Weight: 2 kg\nHeight: 3 cm', ['Weight: 2 kg', 'Height: 3 cm']],
    ['保修期为两年。请勿受潮。', ['保修期为两年。', '请勿受潮。']],
    ['', []],
    ['  \n \n', []],
  ])('of %p', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  it('stand at their offsets', () => {
    const text = '# T\n\n  First one.\n\n1. Step 🚀 one. More.\n| x | y |';
    for (const { start, end, text: sentence } of sentencesOf(text))
      expect(text.slice(start, end)).toBe(sentence);
  });
});

describe('cells of a row', () => {
  it.each([
    ['| a | | c |', ['a', '', 'c']],
    ['a | b | c', ['a', 'b', 'c']],
    ['| a \\| b | c \\|', ['a | b', 'c |']],
    ['Revenue  $  16,388 $  14,573  12 %', ['Revenue', '$16,388', '$14,573', '12 %']],
    ['Loss  $  (3) $  —', ['Loss', '$(3)', '$—']],
    ['a\t\tc', ['a', '', 'c']],
  ])('of %p', (row, cells) => {
    expect(cellsOf(row)).toEqual(cells);
  });
});
