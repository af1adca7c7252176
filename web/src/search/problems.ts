import { LecternError, type ValidationProblem } from '../api/lectern.js';

/** Members of a request that have a place in the form, where their problems are shown. */
const PLACED = new Set(['k', 'min_score', 'padding', 'output_format', 'use_reranking', 'filters']);

/** What the service found wrong, by whether the form shows it at its place. */
export interface SortedProblems {
  readonly placed: readonly ValidationProblem[];
  /** The error again where the form does not show all of it. */
  readonly rest: unknown;
}

/** Whether the service takes no image as a question, at least not this one or for this model. */
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
