import equal from 'fast-deep-equal';
import { mean } from './figures.js';
import { MEASURE_NAMES, type Measure } from './measures.js';
import { bootstrapInterval, holm, randomisationTest } from './paired-test.js';
import type { QuestionResult, Run } from './run.types.js';

/** `same`: the measure is equal for every question; `noise`: the difference between the runs is not significant. */
export type Verdict = 'same' | 'noise' | 'better' | 'worse';

/** Comparison of one measure over the questions that have a value for it in both runs. */
export interface Difference {
  readonly measure: Measure;
  readonly questions: number;
  /** Number of questions with a higher value in the later run; `down`: with a lower value. */
  readonly up: number;
  readonly down: number;
  readonly before: number;
  readonly after: number;
  /** 95% interval of the mean difference, without correction for multiple measures. */
  readonly interval: readonly [number, number];
  /** p of the randomisation test, with Holm's correction for the number of measures that differ between the runs. */
  readonly p: number;
  readonly verdict: Verdict;
}

/** A difference without a verdict. Its p is not corrected yet. */
type Unjudged = Omit<Difference, 'verdict'>;

/** The results of the same question in both runs. */
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
  /** Number of questions that are in only one of the runs. */
  readonly unpaired: number;
  /** Settings that differ between the runs. They may explain a difference in the measures. */
  readonly settings: readonly ChangedSetting[];
  /** One entry per measure that has values in both runs. */
  readonly differences: readonly Difference[];
}

const LEVEL = 0.05;

/**
 * Compares two runs question by question. Does not compare latencies, because they depend on the load of the machine.
 */
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

/** Whether an earlier run has at least one of these questions. */
export function isComparable(questions: readonly QuestionIdentity[], before: Run): boolean {
  return pairsOf(questions, before).length > 0;
}

function changedSettings(after: Run, before: Run): ChangedSetting[] {
  return (['k', 'concurrency', 'url'] as const)
    .filter((name) => after[name] !== before[name])
    .map((name) => ({ name, before: String(before[name]), after: String(after[name]) }));
}

/**
 * Corrects each p for the number of measures, and adds the verdicts. A measure that is equal for every question can
 * never be significant, so the number does not include it (Tarone, 1990).
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
