import { isFar, wayOf, wayToFar, wordCandidates, type Outlook } from './plan.js';
import { hybridWeights } from './scores.js';

const outlook = (change: Partial<Outlook>): Outlook => ({
  limit: 10,
  matching: 100_000,
  corpus: 100_000,
  allChunks: 100_000,
  ...change,
});

describe('the way of a search', () => {
  it('is a walk where much matches, with candidates for the limit', () => {
    expect(wayOf(outlook({}))).toEqual({ measures: false, candidates: 100, maxSteps: 120 });
    expect(wayOf(outlook({ limit: 100 }))).toMatchObject({ candidates: 280 });
    expect(wayOf(outlook({ matching: 50_000 }))).toEqual({ measures: false, candidates: 100, maxSteps: 240 });
  });

  it('is to measure what matches where that is little, for its corpus and for the index', () => {
    expect(wayOf(outlook({ matching: 1_000 }))).toEqual({ measures: true, looksUp: true });
    expect(wayOf(outlook({ matching: 200, corpus: 200, allChunks: 200 }))).toMatchObject({ measures: true });
    const smallTenant = { matching: 1_000, corpus: 1_000 };
    expect(wayOf(outlook(smallTenant))).toEqual({ measures: true, looksUp: true });
    expect(wayOf(outlook({ matching: 0, corpus: 5 }))).toMatchObject({ measures: true });
  });

  it('turns where a walk takes as long as measuring', () => {
    expect(wayOf(outlook({ matching: 4_472 }))).toMatchObject({ measures: true });
    expect(wayOf(outlook({ matching: 4_473 }))).toMatchObject({ measures: false, maxSteps: 2_683 });
  });

  it('is wider where of the nearest chunks hardly any match, and not longer than measuring', () => {
    const part = outlook({ matching: 50_000 });
    expect(isFar(part, 17, 100)).toBe(false);
    expect(isFar(part, 16, 100)).toBe(true);
    expect(isFar(outlook({}), null, 100)).toBe(false);
    expect(wayToFar(part)).toEqual({ measures: false, candidates: 500, maxSteps: 25_000 });
    expect(wayToFar(outlook({ matching: 10_000 }))).toMatchObject({ measures: true });
  });

  it('reads all chunks where most of a corpus is measured, and looks few up', () => {
    const small = { matching: 200, corpus: 250, allChunks: 250 };
    expect(wayOf(outlook(small))).toEqual({ measures: true, looksUp: false });
  });

  it('lets words lead to the more chunks, the less the vector says', () => {
    expect(wordCandidates(hybridWeights(0))).toBe(200);
    expect(wordCandidates(hybridWeights(1))).toBe(1_000);
  });
});
