import type { Expected, QuestionScope } from './expectation.js';
import type { Measure, Measured } from './measures.js';

/** A result in the ranking of a question. */
export interface Found {
  readonly document_id: string;
  readonly filename: string | null;
  readonly page: number | null;
  readonly score: number;
  /** Whether it is relevant. */
  readonly relevant: boolean;
  /** Beginning of its text. */
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
  /** Why the question failed. */
  readonly error: string | null;
}

/** A mean over the questions that have the measure. */
export interface Figure {
  readonly mean: number;
  readonly questions: number;
}

/** Milliseconds. */
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
  /** null: no question has the measure. */
  readonly figures: Readonly<Record<Measure, Figure | null>>;
  readonly latency: { readonly retrieve: Latency | null; readonly query: Latency | null };
  readonly failed: number;
  /** Why the run ended early, and its progress. */
  readonly incomplete?: string;
  readonly questions: readonly QuestionResult[];
}
