import type { CandidateResult } from '../chunks/chunk.repository.js';
import type { ScoredChunk } from '../chunks/chunk.js';
import { HYBRID, scoredQuery } from '../chunks/fusion.js';
import { endsSearch, evidenceOf } from './stopping-rule.js';

const query = scoredQuery(
  { vector: Float32Array.of(1), weights: HYBRID },
  { corpus: { chunkCount: 10, totalLength: 100 }, terms: [{ term: 'lamp', chunkCount: 1, idf: 4 }] },
);

const chunksOf = (scores: readonly number[]): ScoredChunk[] =>
  scores.map((score) => ({ score }) as ScoredChunk);

type Facts<By> = Partial<Extract<CandidateResult, { nearestBy: By }>>;

const scan = (facts: Facts<'scan'>): CandidateResult => ({
  nearestBy: 'scan',
  chunks: [],
  restBound: 0,
  next: null,
  ...facts,
});

const walk = (facts: Facts<'index'>): CandidateResult => ({
  nearestBy: 'index',
  chunks: [],
  restBound: 0,
  farthest: 0.5,
  weakest: 2,
  confirmed: 3,
  missed: 0,
  ...facts,
});

describe('what candidates tell of the chunks outside them', () => {
  it.each<[string, CandidateResult, number]>([
    ['a scan of everything: nothing is outside', scan({}), -Infinity],
    ['a scan: the next one, with all that the other words may add', scan({ next: 0.5, restBound: 0.1 }), 0.6],
    ['a walk: as near as its last and as good by words as the last', walk({}), 0.74 * 0.75 + 0.26 * 0.5],
    ['a walk, with words left out', walk({ restBound: 0.1 }), 0.74 * 0.75 + 0.26 * 0.5 + 0.1],
    ['a walk that has all words: its nearness alone', walk({ weakest: null }), 0.74 * 0.75],
    ['a walk that ended early: anything may be near', walk({ farthest: null }), 0.74 + 0.26 * 0.5],
    ['a walk that was misled: anything may be better', walk({ missed: 5 }), 1],
  ])('is, after %s', (_when, found, stoppingBound) => {
    expect(evidenceOf(found, query).stoppingBound).toBeCloseTo(stoppingBound, 12);
  });

  it.each<[string, CandidateResult, boolean, boolean]>([
    ['a scan', scan({}), true, true],
    ['a walk that the words agree with', walk({}), true, true],
    ['a walk that no word tells of', walk({ confirmed: 0 }), true, false],
    ['a walk that ended early', walk({ farthest: null }), false, true],
    ['a walk that missed as many as it found and one by chance', walk({ missed: 4 }), true, true],
    ['a walk that missed more', walk({ missed: 5 }), false, false],
  ])('says of %s whether it found all near and is confirmed', (_what, found, foundAllNear, isConfirmed) => {
    expect(evidenceOf(found, query)).toMatchObject({ foundAllNear, isConfirmed });
  });
});

describe('a round of candidates', () => {
  const TRIED = { isThorough: false };
  const THOROUGH = { isThorough: true };
  const two = { limit: 2, minScore: 0 };
  const bound = 0.74 * 0.75 + 0.26 * 0.5;
  const above = chunksOf([0.9, bound + 0.01]);
  const under = chunksOf([0.9, bound - 0.01]);

  it('ends the search when no other chunk can reach the last place', () => {
    expect(endsSearch(walk({ chunks: above }), TRIED, query, two)).toBe(true);
    expect(endsSearch(walk({ chunks: under }), TRIED, query, two)).toBe(false);
    expect(endsSearch(walk({ chunks: above.slice(1) }), TRIED, query, two)).toBe(false); // a place is left
  });

  it('ends it when no other chunk has the least score', () => {
    expect(endsSearch(walk({}), TRIED, query, { ...two, minScore: bound + 0.01 })).toBe(true);
    expect(endsSearch(walk({}), TRIED, query, { ...two, minScore: bound - 0.01 })).toBe(false);
  });

  it('ends it after a short list only where the words agree', () => {
    expect(endsSearch(walk({ chunks: above, confirmed: 0 }), TRIED, query, two)).toBe(false);
    expect(endsSearch(walk({ chunks: above, confirmed: 0 }), THOROUGH, query, two)).toBe(true);
  });

  it('ends it, when thorough, with an answer as long as asked for, unless what is near was missed', () => {
    expect(endsSearch(walk({ chunks: under }), THOROUGH, query, two)).toBe(true);
    expect(endsSearch(walk({ chunks: under }), THOROUGH, query, { ...two, minScore: 0.8 })).toBe(true); // beyond the bound
    expect(endsSearch(walk({ chunks: under.slice(1) }), THOROUGH, query, two)).toBe(false);
    expect(endsSearch(walk({ chunks: under, farthest: null }), THOROUGH, query, two)).toBe(false);
    expect(endsSearch(walk({ chunks: under, missed: 5 }), THOROUGH, query, two)).toBe(false);
  });
});
