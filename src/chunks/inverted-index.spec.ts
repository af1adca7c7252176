import { indexKeys, keysFor, LEVEL_CEILINGS, LEVELS } from './inverted-index.js';

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
