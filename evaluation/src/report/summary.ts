import type { Comparison, Difference, Verdict } from '../comparison.js';
import type { Expected } from '../expectation.js';
import { MEASURE_NAMES, MEASURES } from '../measures.js';
import type { Latency, Run } from '../run.types.js';

export const VERDICTS: Readonly<Record<Verdict, string>> = {
  same: 'no difference',
  noise: 'noise',
  better: 'better',
  worse: 'worse',
};

/** The figures as text for a terminal. */
export function summary(run: Run): string {
  const figures = MEASURE_NAMES.flatMap((name) => {
    const figure = run.figures[name];
    return figure === null
      ? []
      : [`${column(MEASURES[name])}${figure.mean.toFixed(3)}  ${figure.questions} questions`];
  });
  const latencies = (['retrieve', 'query'] as const).flatMap((route) => {
    const latency = run.latency[route];
    return latency === null ? [] : [`${column(`/${route}`)}${latencyText(latency)}`];
  });
  return [...figures, ...latencies].join('\n');
}

/** The comparison as text for a terminal. */
export function comparisonSummary(comparison: Comparison): string {
  const { against, differences } = comparison;
  const others = othersText(comparison);
  const head =
    differences.length === 0
      ? `Nothing can be compared with the run of ${against}: ${NOTHING_SHARED}${others}.`
      : `Against the run of ${against}, ${comparison.pairs.length} questions${others}:`;
  return [
    head,
    ...settingsText(comparison),
    ...differences.map(
      (difference) => `${column(MEASURES[difference.measure])}${differenceText(difference)}`,
    ),
  ].join('\n');
}

/** The reason why two runs cannot be compared. */
export const NOTHING_SHARED = 'no question was measured in both';

function othersText({ unpaired }: Comparison): string {
  return unpaired === 0 ? '' : `; ${unpaired} questions that are in only one run are left out`;
}

/** Warns that settings differ between the runs. */
export function settingsText({ settings }: Comparison): string[] {
  if (settings.length === 0) return [];
  const changes = settings.map(({ name, before, after }) => `${name} ${before} -> ${after}`);
  return [`The settings of the runs differ: ${changes.join(', ')}`];
}

export function latencyText({ p50, p95 }: Latency): string {
  return `p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`;
}

export function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}

/** The expectation of a question as text. */
export function expectedText({ documents, pages, quote, answers }: Expected): string {
  return [
    ...Object.entries(documents).map(([name, grade]) => (grade === 1 ? name : `${name} (grade ${grade})`)),
    ...(pages.length === 0 ? [] : [`page ${pages.join(' or ')}`]),
    ...(quote === null ? [] : [`“${quote}”`]),
    ...(answers.length === 0 ? [] : [`answer: ${answers.join(' or ')}`]),
  ].join(', ');
}

function differenceText({ before, after, interval, p, up, down, verdict }: Difference): string {
  const moved = `${before.toFixed(3)} -> ${after.toFixed(3)}`;
  if (verdict === 'same') return `${moved}  ${VERDICTS.same}`;
  const between = `${signed(interval[0])} to ${signed(interval[1])}`;
  return `${moved}  ${VERDICTS[verdict]} (${between}, p ${p.toFixed(3)}; ${up} up, ${down} down)`;
}

function column(text: string): string {
  return text.padEnd(20);
}
