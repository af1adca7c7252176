import { analyseDocument } from './analyse.js';
import { impactsOf, termNumber, TERM_NUMBERS, REFERENCE_LENGTH } from './impacts.js';

const impactIn = (text: string, term: string): number | undefined =>
  impactsOf(analyseDocument(text)).get(termNumber(term));

describe('impactsOf', () => {
  it('is tf / (tf + k1) in a text of the reference length, rounded to four digits', () => {
    const others = (count: number): string => Array.from({ length: count }, (_, n) => `x${n}`).join(' ');
    expect(impactIn(`lamp ${others(REFERENCE_LENGTH - 1)}`, 'lamp')).toBe(0.4545);
    expect(impactIn(`lamp lamp ${others(REFERENCE_LENGTH - 2)}`, 'lamp')).toBe(0.625);
  });

  it('falls with the text length and grows with each occurrence, below 1', () => {
    const once = impactIn('lamp oil', 'lamp') ?? 0;
    expect(impactIn('lamp oil and a great many words more', 'lamp')).toBeLessThan(once);
    expect(impactIn('lamp lamp oil', 'lamp')).toBeGreaterThan(once);
    expect(impactIn('lamp '.repeat(500), 'lamp')).toBeLessThan(1);
  });

  it('contains exactly the terms of the text', () => {
    const { terms } = analyseDocument('E-1042 fails');
    expect(impactsOf(analyseDocument('E-1042 fails')).size).toBe(terms.size);
    expect(impactIn('E-1042 fails', 'lamp')).toBeUndefined();
    expect(impactsOf(analyseDocument('')).size).toBe(0);
  });
});

describe('termNumber', () => {
  it('is a platform-independent number from 29 bits of SHA-256, starting at 1', () => {
    expect(termNumber('lamp')).toBe(422695103);
    for (const term of ['', 'lamp', '灯', 'e-1042']) {
      expect(termNumber(term)).toBeGreaterThanOrEqual(1);
      expect(termNumber(term)).toBeLessThanOrEqual(TERM_NUMBERS);
    }
  });
});
