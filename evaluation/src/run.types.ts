import type { Expected, QuestionScope } from './expectation.js';
import type { Measure, Measured } from './measures.js';

/** A result in the ranking of a question. */
export interface Found {
  readonly document_id: string;
  readonly filename: string | null;
  readonly page: number | null;
  readonly score: number;
  readonly relevant: boolean;
  /** Beginning of the text of the result. */
  readonly text: string;
}

export interface QuestionResult {
  readonly key: string;
  readonly line: number;
  readonly question: string;
  readonly scope: QuestionScope;
  readonly expected: Expected;
  readonly measures: Measured;
  readonly retrieve_ms: number | null;
  readonly query_ms: number | null;
  /** The top results. */
  readonly found: readonly Found[];
  readonly completion: string | null;
  /** The reason why the question failed; null: it did not fail. */
  readonly error: string | null;
}

/** The mean of a measure over the questions that have a value for it. */
export interface Figure {
  readonly mean: number;
  readonly questions: number;
}

/** Percentiles in milliseconds. */
export interface Latency {
  readonly p50: number;
  readonly p95: number;
}

/** The JSON of `lectern eval`. */
export interface Run {
  readonly lectern_eval: 1;
  /** ISO 8601. */
  readonly at: string;
  readonly url: string;
  readonly k: number;
  readonly concurrency: number;
  /** The mean of each measure; null: no question has a value for the measure. */
  readonly figures: Readonly<Record<Measure, Figure | null>>;
  readonly latency: { readonly retrieve: Latency | null; readonly query: Latency | null };
  readonly failed: number;
  /** The reason why the run ended early, and the number of measured questions. Absent if the run is complete. */
  readonly incomplete?: string;
  readonly questions: readonly QuestionResult[];
}
