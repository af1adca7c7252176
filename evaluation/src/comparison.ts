import equal from 'fast-deep-equal';
import { mean } from './figures.js';
import { MEASURE_NAMES, type Measure } from './measures.js';
import { bootstrapInterval, holm, randomisationTest } from './paired-test.js';
import type { QuestionResult, Run } from './run.types.js';

/** `same`: no question differs; `noise`: the questions differ, but chance alone would do as much. */
export type Verdict = 'same' | 'noise' | 'better' | 'worse';

/** One measure over the questions that both runs have it for. */
export interface Difference {
  readonly measure: Measure;
  readonly questions: number;
  /** Questions that went up, and down. */
  readonly up: number;
  readonly down: number;
  readonly before: number;
  readonly after: number;
  /** Of the mean difference, 95%, of this measure by itself. */
  readonly interval: readonly [number, number];
  /** Of the randomisation test, after Holm's correction for the number of measures that differ. */
  readonly p: number;
  readonly verdict: Verdict;
}

/** With the p of its test alone. */
type Unjudged = Omit<Difference, 'verdict'>;

/** A question of both runs. */
export interface Pair {
  readonly before: QuestionResult;
  readonly after: QuestionResult;
}

/** What a run was made with, where the other was made with something else. */
export interface ChangedSetting {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** What tells whether a question is the same one in another run. */
type Asked = Pick<QuestionResult, 'key' | 'question' | 'scope' | 'expected'>;

export interface Comparison {
  /** When the earlier run was made, ISO 8601. */
  readonly against: string;
  readonly pairs: readonly Pair[];
  /** Questions of either run that are not the same in the other. */
  readonly unpaired: number;
  /** Beside the one that is judged these may be the cause of a difference. */
  readonly settings: readonly ChangedSetting[];
  /** Empty when nothing can be compared. */
  readonly differences: readonly Difference[];
}

/** What is called a difference would come about by chance in fewer than 5 of 100 comparisons. */
const LEVEL = 0.05;

/** Compares a run with an earlier one, question by question. Latencies are left out: they are those of a moment. */
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

/** Whether a run of these questions can be compared with an earlier one at all. */
export function isComparable(questions: readonly Asked[], before: Run): boolean {
  return pairsOf(questions, before).length > 0;
}

function changedSettings(after: Run, before: Run): ChangedSetting[] {
  return (['k', 'concurrency', 'url'] as const)
    .filter((name) => after[name] !== before[name])
    .map((name) => ({ name, before: String(before[name]), after: String(after[name]) }));
}

/** A measure that no question differs in cannot be called a difference and is not counted (Tarone, 1990). */
function judged(measured: readonly Unjudged[]): Difference[] {
  const changed = measured.filter(({ up, down }) => up + down > 0);
  const ps = holm(changed.map(({ p }) => p));
  return measured.map((difference) => {
    const p = ps[changed.indexOf(difference)] ?? 1;
    return { ...difference, p, verdict: verdictOf({ ...difference, p }) };
  });
}

function pairsOf<T extends Asked>(after: readonly T[], before: Run): { before: QuestionResult; after: T }[] {
  const earlier = new Map(before.questions.map((result) => [result.key, result]));
  return after.flatMap((result) => {
    const other = earlier.get(result.key);
    return other !== undefined && isSame(other, result) ? [{ before: other, after: result }] : [];
  });
}

function isSame(one: Asked, other: Asked): boolean {
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
