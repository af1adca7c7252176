import type { TableContext } from '#reader';
import { bestSupport, sentencesOf, sharesOf, termsOf } from './sentences.js';

const texts = (text: string, tableAbove?: TableContext): string[] =>
  sentencesOf(text, tableAbove).map((sentence) => sentence.text);

describe('sentences of a passage', () => {
  it.each([
    ['It rains. Look! Why?', ['It rains.', 'Look!', 'Why?']],
    [
      'It weighs approx. 3 kg, e.g. Five bags. See Fig. 2 for more.',
      ['It weighs approx. 3 kg, e.g. Five bags.', 'See Fig. 2 for more.'],
    ],
    [
      'Dr. Keller of J. R. Sons lives in St. Ives. She left.',
      ['Dr. Keller of J. R. Sons lives in St. Ives.', 'She left.'],
    ],
    ['A soft\nline break. Next.', ['A soft line break.', 'Next.']],
    ['First paragraph\n\nSecond paragraph', ['First paragraph', 'Second paragraph']],
    ['# Title\nText under it.', ['Text under it.']],
    ['- one\n- two\n  goes on\n3. three. Four.', ['- one', '- two goes on', '3. three.', 'Four.']],
    ['It is in force from May 1,\n2022. It ends.', ['It is in force from May 1, 2022.', 'It ends.']],
    ['It was signed in the year\n2022. It ends.', ['It was signed in the year 2022.', 'It ends.']],
    ['It is in force from May,\n12. It ends.', ['It is in force from May, 12.', 'It ends.']],
    ['1. one,\n2. two,\n- three', ['1. one,', '2. two,', '- three']],
    ['Bring\n1. one\n120. two', ['Bring', '1. one', '120. two']],
    ['Weight: 2 kg\nHeight: 3 cm', ['Weight: 2 kg', 'Height: 3 cm']],
    ['Run cat log | grep late\nto see it.', ['Run cat log | grep late to see it.']],
    ['保修期为两年。请勿受潮。', ['保修期为两年。', '请勿受潮。']],
    ['', []],
    ['  \n \n', []],
    ['***\n\n---', []],
  ])('of %p', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  it('have correct offsets', () => {
    const text = '# T\n\n  First one.\n\n1. Step 🚀 one. More.\n\nA: 1\nB: 2\n| x | y |\n';
    expect(sentencesOf(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      'First one.',
      '1. Step 🚀 one.',
      'More.',
      'A: 1',
      'B: 2',
      '| x | y |',
    ]);
  });
});

describe('rows of a table', () => {
  it.each([
    ['| a | b |\n|---|---|\n| 1 | 2 |\n| | 4 |', ['a: 1; b: 2', 'b: 4']],
    ['a | b\n--- | ---\n1 | 2', ['a: 1; b: 2']],
    ['| a | b |\n|---|---|\n| 1 \\| 2 | 3 |', ['a: 1 | 2; b: 3']],
    ['| a | b |\n|---|---|\n| 1 | 2 | 3 |', ['1; a: 2; b: 3']],
    ['| a | b |\n|---|---|\n| 1 | 2 | 3 | 4 |', ['1; 2; 3; 4']],
    ['| 1 | 2 |\n| 3 | 4 |', ['1; 2', '3; 4']],
    [
      'Quarter  Nights  Visitors\nJanuary to March  11  1,180',
      ['Quarter Nights Visitors', 'Quarter: January to March; Nights: 11; Visitors: 1,180'],
    ],
    [
      'In crowns  2022  2021\nFir  $  1,001 $  2,001',
      ['In crowns; 2022; 2021', 'In crowns: Fir; 2022: $1,001; 2021: $2,001'],
    ],
  ])('of %p have the names in its header', (text, expected) => {
    expect(texts(text)).toEqual(expected);
  });

  it('have the names in a header in an earlier chunk, even if truncated', () => {
    const under = (...header: readonly string[]): TableContext => ({ caption: ['Pumps'], header });
    const row = '| Pump 777 | 349 | 449 |\nA sentence.';
    expect(texts(row, under('Pump', 'Gross', 'Net'))[0]).toBe('Pump: Pump 777; Gross: 349; Net: 449');
    expect(texts(row, under('…', 'Net'))[0]).toBe('Pump 777; 349; Net: 449');
    expect(texts(row, under())).toEqual(['Pump 777; 349; 449', 'A sentence.']);
    expect(texts(row)[0]).toBe('Pump 777; 349; 449');
  });
});

describe('the support of a claim', () => {
  it('is the share of its words in a text, weighted by rarity', () => {
    const texts = ['The lamp of the pump is red.', 'The pump hums.', 'The pump weighs 3 kg.', 'It rains.'];
    const [lamp, hums, weighs, rains] = sharesOf('Is the lamp of the pump red?', texts.map(termsOf));
    expect(lamp).toBeCloseTo(1);
    expect(hums).toBe(weighs);
    expect(hums).toBeGreaterThan(0);
    expect(hums).toBeLessThan(0.2);
    expect(rains).toBe(0);
  });

  it('is 0 for a claim without content words', () => {
    expect(sharesOf('What is it?', [termsOf('It is.')])).toEqual([0]);
  });

  it('is highest in the sentence with most of its words; ties prefer the shorter sentence, then the first', () => {
    const passage = '# Lamps\n\nThe lamp, which somebody lit long ago, is red. The lamp is red. It hums.';
    expect(bestSupport(sentencesOf(passage), 'A red lamp')?.sentence.text).toBe('The lamp is red.');
    expect(bestSupport(sentencesOf(passage), 'Nothing of that')?.sentence.text).toBe(
      'The lamp, which somebody lit long ago, is red.',
    );
    expect(bestSupport([], 'A red lamp')).toBeNull();
  });
});
