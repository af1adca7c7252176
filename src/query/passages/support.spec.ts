import { bestSupport, sharesOf, termsOf } from './support.js';

describe('the support of a claim', () => {
  it('is the share of its words that a text has, rare ones counting more', () => {
    const texts = ['The lamp of the pump is red.', 'The pump hums.', 'The pump weighs 3 kg.', 'It rains.'];
    const [lamp, hums, weighs, rains] = sharesOf('Is the lamp of the pump red?', texts.map(termsOf));
    expect(lamp).toBeCloseTo(1);
    expect(hums).toBe(weighs);
    expect(hums).toBeGreaterThan(0);
    expect(hums).toBeLessThan(0.2);
    expect(rains).toBe(0);
  });

  it('is nothing where a claim has no words of its own', () => {
    expect(sharesOf('What is it?', [termsOf('It is.')])).toEqual([0]);
  });

  it('is best in the sentence that has most of them, of equals the shorter, else the first', () => {
    const passage = '# Lamps\n\nThe lamp, which somebody lit long ago, is red. The lamp is red. It hums.';
    expect(bestSupport(passage, 'A red lamp')?.text).toBe('The lamp is red.');
    expect(bestSupport(passage, 'Nothing of that')?.text).toBe(
      'The lamp, which somebody lit long ago, is red.',
    );
    expect(bestSupport(' ', 'A red lamp')).toBeNull();
  });
});
