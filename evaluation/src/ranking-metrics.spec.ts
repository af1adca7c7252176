import { byBestChunk, ndcg, recall, reciprocalRank } from './ranking-metrics.js';

const GRADES = new Map([
  ['a', 3],
  ['b', 2],
  ['c', 1],
]);

describe('nDCG', () => {
  it('is 1 for the ideal order', () => {
    expect(ndcg(['a', 'b', 'c', 'x'], GRADES, 10)).toBe(1);
  });

  it('uses the grade as linear gain, discounted by rank', () => {
    const found = 2 / Math.log2(2) + 0 + 3 / Math.log2(4);
    const ideal = 3 / Math.log2(2) + 2 / Math.log2(3) + 1 / Math.log2(4);
    expect(ndcg(['b', 'x', 'a'], GRADES, 10)).toBeCloseTo(found / ideal, 12);
  });

  it('cuts ranking and ideal ranking at k', () => {
    expect(ndcg(['a', 'x', 'b'], GRADES, 1)).toBe(1);
    expect(ndcg(['x', 'a'], GRADES, 1)).toBe(0);
  });
});

describe('recall', () => {
  it('is the share of relevant documents found', () => {
    expect(recall(['x', 'c', 'a'], GRADES, 10)).toBeCloseTo(2 / 3, 12);
    expect(recall(['x', 'c', 'a'], GRADES, 2)).toBeCloseTo(1 / 3, 12);
  });
});

describe('the reciprocal rank', () => {
  it('is that of the first relevant document, and 0 without one', () => {
    expect(reciprocalRank(['x', 'y', 'c', 'a'], GRADES)).toBeCloseTo(1 / 3, 12);
    expect(reciprocalRank(['x'], GRADES)).toBe(0);
  });
});

describe('a document ranking', () => {
  it('ranks each document by its best chunk', () => {
    expect(byBestChunk(['b', 'a', 'b', 'c', 'a'])).toEqual(['b', 'a', 'c']);
  });
});
