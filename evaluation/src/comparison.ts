import equal from 'fast-deep-equal';
import { mean } from './figures.js';
import { MEASURE_NAMES, type Measure } from './measures.js';
import { bootstrapInterval, holm, randomisationTest } from './paired-test.js';
import type { QuestionResult, Run } from './run.types.js';

/** `same`: no question differs; `noise`: the difference is not significant. */
export type Verdict = 'same' | 'noise' | 'better' | 'worse';

/** One measure over the questions that have it in both runs. */
export interface Difference {
  readonly measure: Measure;
  readonly questions: number;
  /** Number of questions that improved, and that got worse. */
  readonly up: number;
  readonly down: number;
  readonly before: number;
  readonly after: number;
  /** 95% interval of the mean difference, without correction for multiple measures. */
  readonly interval: readonly [number, number];
  /** p of the randomisation test, Holm-corrected over the measures that differ. */
  readonly p: number;
  readonly verdict: Verdict;
}

/** With the uncorrected p. */
type Unjudged = Omit<Difference, 'verdict'>;

/** A question of both runs. */
export interface Pair {
  readonly before: QuestionResult;
  readonly after: QuestionResult;
}

/** A setting that differs between the runs. */
export interface ChangedSetting {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** The parts of a question that identify it across runs. */
type QuestionIdentity = Pick<QuestionResult, 'key' | 'question' | 'scope' | 'expected'>;

export interface Comparison {
  /** Time of the earlier run, ISO 8601. */
  readonly against: string;
  readonly pairs: readonly Pair[];
  /** Number of questions without a counterpart. */
  readonly unpaired: number;
  /** Further possible causes of a difference. */
  readonly settings: readonly ChangedSetting[];
  /** Empty if nothing can be compared. */
  readonly differences: readonly Difference[];
}

/** Significance level. */
const LEVEL = 0.05;

/** Compares two runs by question. Latencies are not compared: they depend on the machine's load. */
export function compare(after: Run, before: Run): Comparison {
  const pairs = pairsOf(after.questions, before);
  const measured = MEASURE_NAMES.flatMap((measure) => differenceOf(measure, pairs) ?? []);
  return {
    against: before.at,
    pairs,
    unpaired: after.questions.length + before.questions.length - 2 * pairs.length,
    settings: changedSettings(after, before),
    differences: judged(measured),
  };
}

/** Whether a run of these questions has any question in common with an earlier one. */
export function isComparable(questions: readonly QuestionIdentity[], before: Run): boolean {
  return pairsOf(questions, before).length > 0;
}

function changedSettings(after: Run, before: Run): ChangedSetting[] {
  return (['k', 'concurrency', 'url'] as const)
    .filter((name) => after[name] !== before[name])
    .map((name) => ({ name, before: String(before[name]), after: String(after[name]) }));
}

/**
 * A measure without any differing question cannot be significant and is not counted in the correction (Tarone, 1990).
 */
function judged(measured: readonly Unjudged[]): Difference[] {
  const changed = measured.filter(({ up, down }) => up + down > 0);
  const ps = holm(changed.map(({ p }) => p));
  return measured.map((difference) => {
    const p = ps[changed.indexOf(difference)] ?? 1;
    return { ...difference, p, verdict: verdictOf({ ...difference, p }) };
  });
}

function pairsOf<T extends QuestionIdentity>(
  after: readonly T[],
  before: Run,
): { before: QuestionResult; after: T }[] {
  const earlier = new Map(before.questions.map((result) => [result.key, result]));
  return after.flatMap((result) => {
    const other = earlier.get(result.key);
    return other !== undefined && isSame(other, result) ? [{ before: other, after: result }] : [];
  });
}

function isSame(one: QuestionIdentity, other: QuestionIdentity): boolean {
  return (['question', 'scope', 'expected'] as const).every((part) => equal(one[part], other[part]));
}

function differenceOf(measure: Measure, pairs: readonly Pair[]): Unjudged | null {
  const values = pairs.flatMap(({ before, after }) => {
    const [old, now] = [before.measures[measure], after.measures[measure]];
    return old === null || now === null ? [] : [{ old, now }];
  });
  if (values.length === 0) return null;
  const differences = values.map(({ old, now }) => now - old);
  return {
    measure,
    questions: values.length,
    up: differences.filter((difference) => difference > 0).length,
    down: differences.filter((difference) => difference < 0).length,
    before: mean(values.map(({ old }) => old)),
    after: mean(values.map(({ now }) => now)),
    interval: bootstrapInterval(differences),
    p: randomisationTest(differences),
  };
}

function verdictOf({ up, down, before, after, p }: Unjudged): Verdict {
  if (up + down === 0) return 'same';
  if (p >= LEVEL) return 'noise';
  return after > before ? 'better' : 'worse';
}
