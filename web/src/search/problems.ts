import { LecternError, type ValidationProblem } from '../api/lectern.js';

/** Request members that have a form field. The form shows their errors at the field. */
const PLACED = new Set(['k', 'min_score', 'padding', 'output_format', 'use_reranking', 'filters']);

/** Validation errors, split by whether the form shows them. */
export interface SortedProblems {
  readonly placed: readonly ValidationProblem[];
  /** The error with the problems that the form does not show; null if the form shows all of them. */
  readonly rest: unknown;
}

/** Whether the service rejects the query image, because of its content or because of the model. */
export function refusesImage(error: unknown): boolean {
  if (!(error instanceof LecternError) || typeof error.detail === 'string') return false;
  return error.detail.some(({ loc }) => loc[1] === 'query_image');
}

export function sorted(error: unknown): SortedProblems {
  if (!(error instanceof LecternError) || typeof error.detail === 'string')
    return { placed: [], rest: error };
  const placed = error.detail.filter(({ loc }) => PLACED.has(String(loc[1])));
  const others = error.detail.filter((problem) => !placed.includes(problem));
  const rest =
    others.length === 0 ? null : new LecternError(error.status, others, { requestId: error.requestId });
  return { placed, rest };
}
