import { keysFor } from '../lexical/inverted-index.js';
import { inverseDocumentFrequency, type QueryTerm, questionWords } from './bm25.js';

const keyOf = (appId: string, term: number, level: number): bigint => keysFor(appId)(term, level);

const TOTAL = 100_000;
const MOST = 400;
const term = (number: number, ...frequencies: readonly number[]): QueryTerm => ({
  number,
  postings: frequencies,
  frequencies,
  isIdentifier: false,
});

describe('question words', () => {
  it('weigh by inverse document frequency over all levels; the bound is the sum of the weights', () => {
    const { idf, bound } = questionWords('acme', [term(1, 5, 0, 3, 2), term(2, 0, 0, 0, 0)], TOTAL, MOST);
    const [known, unknown] = [inverseDocumentFrequency(10, TOTAL), inverseDocumentFrequency(0, TOTAL)];
    expect([...idf]).toEqual([
      [1, known],
      [2, unknown],
    ]);
    expect(bound).toBeCloseTo(known + unknown, 12);
  });

  it('weigh by the chunks that everyone may read, and are looked up among all chunks', () => {
    const { idf, keys } = questionWords(
      'acme',
      [
        { ...term(1, 2), postings: [9] },
        { ...term(2, 0), postings: [3] },
      ],
      50,
      MOST,
    );
    expect([...idf]).toEqual([
      [1, inverseDocumentFrequency(2, 50)],
      [2, inverseDocumentFrequency(0, 50)],
    ]);
    expect(keys.toSorted()).toEqual([keyOf('acme', 1, 0), keyOf('acme', 2, 0)].toSorted());
  });

  it('weigh ten times as much when they belong to an unreadable identifier', () => {
    const { idf, bound } = questionWords(
      'acme',
      [term(1, 10), { ...term(2, 10), isIdentifier: true }],
      TOTAL,
      MOST,
    );
    expect(idf.get(2)).toBeCloseTo(10 * (idf.get(1) ?? 0), 12);
    expect(bound).toBeCloseTo(11 * (idf.get(1) ?? 0), 12);
  });

  it('read all posting lists when these are short', () => {
    const { keys, skippedBound } = questionWords(
      'acme',
      [term(1, 5, 0, 3, 2), term(2, 0, 7, 0, 0)],
      TOTAL,
      MOST,
    );
    expect(keys.toSorted()).toEqual(
      [keyOf('acme', 1, 0), keyOf('acme', 1, 2), keyOf('acme', 1, 3), keyOf('acme', 2, 1)].toSorted(),
    );
    expect(skippedBound).toBe(0);
  });

  it('read the posting lists with the highest impact within the budget, and bound the skipped ones', () => {
    const rare = term(1, 0, 100, 0, 0);
    const frequent = term(2, 30_000, 8_000, 1_500, 250);
    const { keys, skippedBound, idf } = questionWords('acme', [frequent, rare], TOTAL, MOST);
    expect(new Set(keys)).toEqual(new Set([keyOf('acme', 1, 1), keyOf('acme', 2, 3)]));
    expect(skippedBound).toBeCloseTo(0.7 * (idf.get(2) ?? 0), 12); // the level below the level that was read
  });

  it('read one posting list even above the budget, and then bound the others by the maximum', () => {
    const { keys, skippedBound, bound } = questionWords('acme', [term(1, 0, 0, 0, MOST + 1)], TOTAL, MOST);
    expect(keys).toEqual([keyOf('acme', 1, 3)]);
    expect(skippedBound).toBe(bound);
  });

  it('keep the 256 rarest terms of a long question and prefer terms that occur', () => {
    const unknown = Array.from({ length: 600 }, (_, number) => term(number + 1, 0));
    const known = Array.from({ length: 10 }, (_, number) => term(1_000 + number, 900));
    const { idf } = questionWords('acme', [...unknown, ...known], TOTAL, MOST);
    expect(idf.size).toBe(256);
    for (const { number } of known) expect(idf.has(number)).toBe(true);
    const rarest = Array.from({ length: 1_000 }, (_, number) => term(number + 1, ((number * 7) % 1_000) + 1));
    const counting = questionWords('acme', rarest, TOTAL, MOST).idf;
    expect([...counting.keys()].every((number) => (((number - 1) * 7) % 1_000) + 1 <= 256)).toBe(true);
  });

  it('belong to a tenant', () => {
    const keysOf = (appId: string) => questionWords(appId, [term(1, 5, 0, 0, 0)], TOTAL, MOST).keys;
    expect(keysOf('acme')).not.toEqual(keysOf('globex'));
  });
});
