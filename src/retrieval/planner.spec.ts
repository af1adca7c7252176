import type { QueryTerm } from '../chunks/bm25.js';
import type { Range } from '../filters/sql/ordered-part.js';
import { candidateTerms, estimatedChunks, findingPart, roundsFor, type Estimate } from './planner.js';

const ALL: Estimate = { corpus: 100_000, share: 1, near: 0, nearMatching: 0, foundBy: null };
const rangeOver = (name: string): Range => ({
  kind: 'range',
  field: { kind: 'metadata', name, path: [name] },
  comparisons: [],
});
const SIZE = rangeOver('size');

describe('the rounds of a search over candidates', () => {
  const pathOf = (estimate: Estimate, limit = 10): string[] =>
    roundsFor(limit, estimate, true).map(
      (round) =>
        `${round.nearestBy === 'scan' && round.looksUp ? 'look-up' : round.nearestBy} ${round.candidates}${round.isThorough ? '' : ' tried'}`,
    );

  it.each<[string, Partial<Estimate>, string[]]>([
    ['everything matches', {}, ['index 100 tried', 'index 365', 'scan 365']],
    [
      'half is, also near the query',
      { share: 0.5, near: 100, nearMatching: 50 },
      ['index 100 tried', 'index 365', 'scan 365'],
    ],
    ['half is, and nothing near the query', { share: 0.5, near: 100 }, ['index 365', 'scan 365']],
    [
      'a tenth is, also near the query',
      { share: 0.1, near: 100, nearMatching: 10 },
      ['index 100 tried', 'index 365', 'scan 365'],
    ],
    [
      'a tenth is, and all near the query',
      { share: 0.1, near: 100, nearMatching: 100 },
      ['index 100 tried', 'index 365', 'scan 365'],
    ],
    ['a tenth is, and nothing near the query', { share: 0.1, near: 100 }, ['scan 365']],
    ['little is, but some near the query', { share: 0.02, near: 100, nearMatching: 8 }, ['look-up 365']],
    [
      'very little is, but what is near the query',
      { share: 0.01, near: 100, nearMatching: 60 },
      ['look-up 365'],
    ],
    [
      'a sixteenth is, but more near the query',
      { share: 0.06, near: 100, nearMatching: 10 },
      ['index 100 tried', 'scan 365'],
    ],
    ['nothing of the sample is', { share: 0, near: 100 }, ['look-up 365']],
    [
      'a little is, but what is near the query',
      { share: 0.011, near: 100, nearMatching: 60 },
      ['index 100 tried', 'look-up 365'],
    ],
    ['there are few chunks at all', { corpus: 1_000 }, ['scan 365']],
    ['there are some more', { corpus: 1_001 }, ['index 100 tried', 'index 365', 'scan 365']],
  ])('when %s', (_when, part, expected) => {
    expect(pathOf({ ...ALL, ...part })).toEqual(expected);
  });

  it('never takes fewer candidates than results, and more the more results are wanted', () => {
    const counts = [1, 4, 10, 100, 1_000].map((limit) =>
      roundsFor(limit, ALL, true).map(({ candidates }) => candidates),
    );
    expect(counts).toEqual([
      [82, 352, 352],
      [88, 356, 356],
      [100, 365, 365],
      [280, 500, 500],
      [1_850, 1_850],
    ]);
  });

  it('does not try a first round that is not quick itself', () => {
    const tenth = { ...ALL, share: 0.1, near: 100, nearMatching: 10 };
    expect(pathOf(tenth, 35)).toEqual(['index 150 tried', 'index 403', 'scan 403']);
    expect(pathOf(tenth, 36)).toEqual(['index 404', 'scan 404']);
    expect(pathOf(ALL, 100)).toEqual(['index 280 tried', 'index 500', 'scan 500']);
  });

  it('walks further where documents are looked up by their ids, which takes longer to measure', () => {
    const tenth = { ...ALL, share: 0.1, near: 100, nearMatching: 10 };
    expect(pathOf(tenth, 100)).toEqual(['scan 500']);
    expect(pathOf({ ...tenth, foundBy: SIZE }, 100)).toEqual(['index 500', 'scan 500']);
    expect(pathOf({ ...tenth, foundBy: SIZE, nearMatching: 0 }, 100)).toEqual(['scan 500']);
  });

  it('walks with a longer list when the first round was not enough, and measures everything that matches after that', () => {
    expect(roundsFor(10, ALL, true)).toEqual([
      { nearestBy: 'index', candidates: 100, efSearch: 100, isThorough: false },
      { nearestBy: 'index', candidates: 365, efSearch: 1_000, isThorough: true },
      { nearestBy: 'scan', candidates: 365, looksUp: false, isThorough: true },
    ]);
  });

  it('takes the longer list at once when no word can tell whether the short one was misled', () => {
    expect(roundsFor(10, ALL, false)).toEqual([
      { nearestBy: 'index', candidates: 365, efSearch: 1_000, isThorough: true },
      { nearestBy: 'scan', candidates: 365, looksUp: false, isThorough: true },
    ]);
  });

  it('estimates the matching chunks', () => {
    expect(estimatedChunks({ ...ALL, share: 0.0123 })).toBe(1_230);
  });
});

describe('the part of a filter in which documents are looked up', () => {
  it.each<[string, readonly (readonly [string, number])[], string | undefined]>([
    ['none where the filter has none', [], undefined],
    ['the only one', [['a', 0.2]], 'a'],
    [
      'the narrowest',
      [
        ['a', 0.2],
        ['b', 0.1],
        ['c', 0.15],
      ],
      'b',
    ],
    ['one that takes nothing of the sample', [['a', 0]], 'a'],
    ['none where even the narrowest is wide', [['a', 0.26]], undefined],
  ])('is %s', (_which, shares, expected) => {
    const parts = shares.map(([name, share]) => ({ part: rangeOver(name), share }));
    const found = findingPart({ parts });
    expect(found).toEqual(expected === undefined ? null : rangeOver(expected));
  });
});

describe('the terms whose postings are read', () => {
  const terms = (...counts: number[]): QueryTerm[] =>
    counts.map((chunkCount, index) => ({ term: `t${index}`, chunkCount, idf: 1 }));

  it.each([
    ['all of them while that is cheap', terms(6_000, 5_000, 1_000), ['t0', 't1', 't2']],
    ['the rarest ones otherwise', terms(12_000, 100, 3_000), ['t1', 't2']],
    ['those that fit into the budget', terms(12_000, 3_950, 100), ['t2']],
    ['the rarest that any chunk holds, whatever it costs', terms(90_000, 0, 50_000), ['t1', 't2']],
    ['none of none', [], []],
  ])('are %s', (_which, given, expected) => {
    expect(candidateTerms(given).map(({ term }) => term)).toEqual(expected);
  });
});
