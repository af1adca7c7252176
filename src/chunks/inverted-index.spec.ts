import { indexKey, indexKeys, LEVEL_CEILINGS, LEVELS } from './inverted-index.js';

describe('keys of the inverted index', () => {
  it('are one for each term, by the level of its impact', () => {
    const impacts = new Map([
      [7, 0.2],
      [8, 0.45],
      [9, 0.69],
      [10, 0.7],
      [2 ** 29, 0.99],
    ]);
    expect(indexKeys('acme', impacts)).toEqual([
      indexKey('acme', 7, 0),
      indexKey('acme', 8, 1),
      indexKey('acme', 9, 2),
      indexKey('acme', 10, 3),
      indexKey('acme', 2 ** 29, 3),
    ]);
  });

  it('fit bigint, and differ by tenant, term and level', () => {
    const keys = ['acme', 'globex', 'default'].flatMap((appId) =>
      [1, 2, 2 ** 29].flatMap((term) =>
        Array.from({ length: LEVELS }, (_, level) => indexKey(appId, term, level)),
      ),
    );
    expect(new Set(keys).size).toBe(3 * 3 * LEVELS);
    for (const key of keys) expect(BigInt.asIntN(64, key)).toBe(key);
  });

  it('have levels up to an impact of 1', () => {
    expect(LEVEL_CEILINGS).toEqual([0.45, 0.6, 0.7, 1]);
  });
});
