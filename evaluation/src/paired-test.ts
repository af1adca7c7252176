import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { percentile } from './figures.js';

/** Rounds of both resampling methods: p is accurate to about .002 near .05. */
const ROUNDS = 10_000;

/** Fixed seed, so that results are reproducible. */
const SEED = 20_261_122;

/**
 * Two-sided p of the paired randomisation test: each round flips the sign of each question's difference at random, and
 * p is the share of rounds whose mean difference is at least as large as the observed one. Recommended for such
 * measures over the t, Wilcoxon and sign tests by Smucker, Allan and Carterette, "A Comparison of Statistical
 * Significance Tests for Information Retrieval Evaluation", 2007. The observed assignment counts as one round (Phipson
 * and Smyth, 2010), so p is never 0.
 *
 * @param differences per question, new minus old; not empty
 */
export function randomisationTest(differences: readonly number[]): number {
  const moved = differences.filter((difference) => difference !== 0);
  const observed = Math.abs(sum(moved));
  const random = xoroshiro128plus(SEED);
  let asLarge = 1;
  for (let round = 0; round < ROUNDS; round += 1) {
    let total = 0;
    for (const difference of moved) total += random.next() < 0 ? -difference : difference;
    if (Math.abs(total) >= observed - Number.EPSILON * moved.length) asLarge += 1;
  }
  return asLarge / (ROUNDS + 1);
}

/**
 * 95% confidence interval of the mean difference by the percentile bootstrap (Efron, 1979; for such measures Sakai,
 * "Evaluating Evaluation Metrics based on the Bootstrap", 2006).
 *
 * @param values not empty
 */
export function bootstrapInterval(values: readonly number[]): readonly [number, number] {
  const random = xoroshiro128plus(SEED);
  const means: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    let total = 0;
    for (let draw = 0; draw < values.length; draw += 1) {
      total += values[(random.next() >>> 0) % values.length] ?? 0;
    }
    means.push(total / values.length);
  }
  means.sort((a, b) => a - b);
  return [percentile(means, 0.025), percentile(means, 0.975)];
}

/**
 * Corrects the p values of several tests, so that the probability of any false positive stays below the significance
 * level. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", 1979.
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((p, index) => ({ p, index })).sort((a, b) => a.p - b.p);
  const adjusted = Array.from(ps);
  let least = 0;
  order.forEach(({ p, index }, rank) => {
    least = Math.max(least, Math.min(1, p * (ps.length - rank)));
    adjusted[index] = least;
  });
  return adjusted;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
