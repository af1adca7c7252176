import { LecternError, type ValidationProblem } from '../api/lectern.js';

/** Request members with a form field, where their errors are shown. */
const PLACED = new Set(['k', 'min_score', 'padding', 'output_format', 'use_reranking', 'filters']);

/** Validation errors, split by whether the form shows them. */
export interface SortedProblems {
  readonly placed: readonly ValidationProblem[];
  /** The error itself if the form does not show all of it. */
  readonly rest: unknown;
}

/** Whether the service rejects the query image, for its content or for the model. */
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
