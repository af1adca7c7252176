import { hybridWeights } from './hybrid-score.js';
import {
  chooseStrategy,
  fullScan,
  isAnticorrelated,
  lexicalCandidates,
  widenedStrategy,
  type CardinalityEstimate,
} from './search-strategy.js';

const estimate = (change: Partial<CardinalityEstimate>): CardinalityEstimate => ({
  limit: 10,
  matching: 100_000,
  chunkCount: 100_000,
  indexed: 100_000,
  ...change,
});

describe('search strategy', () => {
  it('searches the HNSW index when many chunks match, with candidates in proportion to the limit', () => {
    expect(chooseStrategy(estimate({}))).toEqual({
      kind: 'hnsw',
      candidates: 100,
      maxVisits: 150,
      countsNearest: false,
    });
    expect(chooseStrategy(estimate({ limit: 100 }))).toMatchObject({ candidates: 280 });
    expect(chooseStrategy(estimate({ matching: 50_000 }))).toEqual({
      kind: 'hnsw',
      candidates: 100,
      maxVisits: 300,
      countsNearest: false,
    });
  });

  it('counts the matches among the nearest chunks if most chunks do not match', () => {
    expect(chooseStrategy(estimate({ matching: 33_000 }))).toMatchObject({ countsNearest: true });
    expect(chooseStrategy(estimate({ matching: 34_000 }))).toMatchObject({ countsNearest: false });
  });

  it('scans all matching chunks when few match relative to the index', () => {
    expect(chooseStrategy(estimate({ matching: 1_000 }))).toEqual({ kind: 'full-scan', lookups: 'serial' });
    expect(chooseStrategy(estimate({ matching: 200, chunkCount: 200, indexed: 200 }))).toMatchObject({
      kind: 'full-scan',
    });
    const smallTenant = { matching: 1_000, chunkCount: 1_000 };
    expect(chooseStrategy(estimate(smallTenant))).toEqual({ kind: 'full-scan', lookups: 'serial' });
    expect(chooseStrategy(estimate({ matching: 0, chunkCount: 5 }))).toMatchObject({ kind: 'full-scan' });
  });

  it('looks up many chunks in parallel, and lets PostgreSQL choose for a large share of the chunks', () => {
    const large = { chunkCount: 1_000_000, indexed: 1_000_000 };
    expect(chooseStrategy(estimate({ ...large, matching: 4_999 }))).toMatchObject({ lookups: 'serial' });
    expect(chooseStrategy(estimate({ ...large, matching: 5_000 }))).toMatchObject({ lookups: 'parallel' });
    expect(fullScan(estimate({ ...large, matching: 150_000 }))).toMatchObject({ lookups: 'parallel' });
    expect(fullScan(estimate({ ...large, matching: 150_001 }))).toMatchObject({ lookups: 'none' });
  });

  it('switches where both cost the same', () => {
    expect(chooseStrategy(estimate({ matching: 4_472 }))).toMatchObject({ kind: 'full-scan' });
    expect(chooseStrategy(estimate({ matching: 4_473 }))).toMatchObject({ kind: 'hnsw', maxVisits: 3_354 });
  });

  it('widens the oversampling for an anticorrelated filter, up to the cost of a full scan', () => {
    const half = estimate({ matching: 50_000 });
    expect(isAnticorrelated(half, 17, 100)).toBe(false);
    expect(isAnticorrelated(half, 16, 100)).toBe(true);
    expect(isAnticorrelated(estimate({}), null, 100)).toBe(false);
    expect(widenedStrategy(half)).toEqual({
      kind: 'hnsw',
      candidates: 500,
      maxVisits: 25_000,
      countsNearest: false,
    });
    expect(widenedStrategy(estimate({ matching: 10_000 }))).toMatchObject({ kind: 'full-scan' });
  });

  it('reads sequentially when most of a corpus matches', () => {
    const small = { matching: 200, chunkCount: 250, indexed: 250 };
    expect(chooseStrategy(estimate(small))).toEqual({ kind: 'full-scan', lookups: 'none' });
  });

  it('reads more chunks from the inverted index when the vector weighs less', () => {
    expect(lexicalCandidates(hybridWeights(0))).toBe(200);
    expect(lexicalCandidates(hybridWeights(1))).toBe(1_000);
  });
});
