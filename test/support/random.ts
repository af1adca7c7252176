/** Pseudo-random numbers (mulberry32): the same seed repeats the test. */
export class Random {
  constructor(private state: number) {}

  /** Returns a number in [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns an integer from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Returns one of the values. */
  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }

  /** Returns words of a vocabulary with a few frequent and many rare words. */
  words(count: number, vocabulary = 400): string {
    return Array.from({ length: count }, () => `w${Math.floor(vocabulary ** this.next())}`).join(' ');
  }
}
