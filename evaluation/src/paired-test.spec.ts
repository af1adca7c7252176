import { bootstrapInterval, holm, randomisationTest } from './paired-test.js';

const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);

describe('the randomisation test', () => {
  it.each([
    [times(5, 0.3), 2 / 2 ** 5],
    [times(8, 1), 2 / 2 ** 8],
    [[1, 2, 3, 4], 2 / 2 ** 4],
    [[3, 3, -1], 4 / 2 ** 3], // the sums ±7 and ±5 are at least as large as 5
    [[0.5, -0.5], 1],
    [times(20, 0), 1],
  ])('of %j approximates the share over all permutations', (differences, p) => {
    expect(Math.abs(randomisationTest(differences) - p)).toBeLessThan(0.015);
  });

  it('ignores questions without a difference, and the direction', () => {
    const differences = [0.2, -0.1, 0.4, 0.3];
    const p = randomisationTest(differences);
    expect(randomisationTest([0, 0, ...differences, 0])).toBe(p);
    expect(randomisationTest(differences.map((difference) => -difference))).toBe(p);
  });
});

describe('the bootstrap interval', () => {
  it('contains the mean, and has the width of the normal distribution', () => {
    const values = Array.from({ length: 400 }, (_, index) => index % 2);
    const [low, high] = bootstrapInterval(values);
    expect(low).toBeCloseTo(0.5 - 1.96 * (0.5 / 20), 1.9);
    expect(high).toBeCloseTo(0.5 + 1.96 * (0.5 / 20), 1.9);
    expect(bootstrapInterval([0.25, 0.25])).toEqual([0.25, 0.25]);
  });
});

describe('the correction for several tests', () => {
  it('follows Holm', () => {
    expect(holm([0.01, 0.04, 0.03, 0.005])).toEqual([0.03, 0.06, 0.06, 0.02]);
    expect(holm([0.9, 0.8])).toEqual([1, 1]);
    expect(holm([])).toEqual([]);
  });
});
