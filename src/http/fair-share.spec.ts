import { scopeOf } from '../auth/scope.js';
import { FairShare } from './fair-share.js';

const flood = scopeOf('acme', ['read'], 'flood');
const other = scopeOf('other', ['read'], 'quiet');

describe('the fair share', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  /** Returns the waits of calls that come together. */
  const waits = (share: FairShare, calls: number): number[] =>
    Array.from({ length: calls }, () => share.waitOf(flood, 1));

  it('never slows down a caller that is alone', () => {
    expect(Math.max(...waits(new FairShare(600), 1_000))).toBe(0);
  });

  it('slows down who sends many calls beside others, longer with each call, and nobody else', () => {
    const share = new FairShare(600);
    share.waitOf(other, 1);
    const times = waits(share, 200);
    expect(Math.max(...times.slice(0, 20))).toBe(0);
    expect(times.slice(20)).toEqual(times.slice(20).sort((a, b) => a - b));
    expect(times[20]).toBeGreaterThan(0);
    expect(times.at(-1)).toBeCloseTo(2_250);
    expect(share.waitOf(other, 1)).toBe(0);
  });

  it('counts each call of a bundle, and waits five seconds at most', () => {
    const share = new FairShare(600);
    share.waitOf(other, 1);
    expect(share.waitOf(flood, 40)).toBeCloseTo(250);
    expect(share.waitOf(flood, 4_000)).toBe(5_000);
  });

  it('forgets calls within seconds, and knows who is gone', () => {
    const share = new FairShare(600);
    share.waitOf(other, 1);
    expect(share.waitOf(flood, 100)).toBeGreaterThan(0);
    jest.advanceTimersByTime(2_000);
    expect(share.waitOf(flood, 1)).toBe(0);
    jest.advanceTimersByTime(4_000);
    expect(share.waitOf(flood, 100)).toBe(0);
  });

  it('lets a key with a high limit send at twice its average', () => {
    const share = new FairShare(6_000);
    share.waitOf(other, 1);
    expect(Math.max(...waits(share, 200))).toBe(0);
    expect(share.waitOf(flood, 100)).toBeGreaterThan(0);
  });

  it('stops waiting when the client is gone', async () => {
    const share = new FairShare(600);
    share.waitOf(other, 1);
    share.waitOf(flood, 4_000);
    const gone = new AbortController();
    const waiting = share.wait(flood, 1, gone.signal);
    gone.abort();
    await waiting;
    expect(jest.getTimerCount()).toBe(0);
  });
});
