import { MEASURE_NAMES } from './measures.js';
import type { Figure, Latency, QuestionResult, Run } from './run.types.js';

/** Summarises the questions of a run. */
export function figuresOf(questions: readonly QuestionResult[]): Pick<Run, 'figures' | 'latency' | 'failed'> {
  return {
    figures: Object.fromEntries(
      MEASURE_NAMES.map((name) => [name, figure(questions.map(({ measures }) => measures[name]))]),
    ) as Run['figures'],
    latency: {
      retrieve: latency(questions.map(({ retrieve_ms }) => retrieve_ms)),
      query: latency(questions.map(({ query_ms }) => query_ms)),
    },
    failed: questions.filter(({ error }) => error !== null).length,
  };
}

/** At most `most` questions with an imperfect result, the worst first. */
export function worst(questions: readonly QuestionResult[], most: number): QuestionResult[] {
  return questions
    .filter((result) => quality(result) < 1)
    .sort((a, b) => quality(a) - quality(b) || a.line - b.line)
    .slice(0, most);
}

/**
 * Mean of the ranking measure and the answer measure, from 0 to 1. For example, a perfect ranking with a wrong answer
 * gives 0.5. A failed question gives -1.
 */
function quality({ error, measures }: QuestionResult): number {
  if (error !== null) return -1;
  const values = [measures.ndcg_at_10, measures.answer_contained].filter((value) => value !== null);
  return values.length === 0 ? 1 : mean(values);
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Percentile by nearest rank. @param sorted ascending, not empty */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? NaN;
}

function figure(values: readonly (number | null)[]): Figure | null {
  const present = values.filter((value) => value !== null);
  return present.length === 0 ? null : { mean: mean(present), questions: present.length };
}

function latency(values: readonly (number | null)[]): Latency | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  return sorted.length === 0 ? null : { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95) };
}
