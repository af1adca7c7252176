import { analyseDocument } from './analyse.js';
import {
  impactsOf,
  indexKeys,
  keysFor,
  LEVEL_CEILINGS,
  LEVELS,
  REFERENCE_LENGTH,
  TERM_NUMBERS,
  termNumber,
} from './inverted-index.js';

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

const keyOf = (appId: string, term: number, level: number): bigint => keysFor(appId)(term, level);

describe('keys of the inverted index', () => {
  it('consist of one key per term with the level of its impact', () => {
    const impacts = new Map([
      [7, 0.2],
      [8, 0.45],
      [9, 0.69],
      [10, 0.7],
      [2 ** 29, 0.99],
    ]);
    expect(indexKeys('acme', impacts)).toEqual([
      keyOf('acme', 7, 0),
      keyOf('acme', 8, 1),
      keyOf('acme', 9, 2),
      keyOf('acme', 10, 3),
      keyOf('acme', 2 ** 29, 3),
    ]);
  });

  it('fit into bigint and differ by tenant, term and level', () => {
    const keys = ['acme', 'globex', 'default'].flatMap((appId) =>
      [1, 2, 2 ** 29].flatMap((term) =>
        Array.from({ length: LEVELS }, (_, level) => keyOf(appId, term, level)),
      ),
    );
    expect(new Set(keys).size).toBe(3 * 3 * LEVELS);
    for (const key of keys) expect(BigInt.asIntN(64, key)).toBe(key);
  });

  it('have levels that cover impacts up to 1', () => {
    expect(LEVEL_CEILINGS).toEqual([0.45, 0.6, 0.7, 1]);
  });
});
