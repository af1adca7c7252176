import { inspect } from 'node:util';
import { ParseFailure } from '../parse-failure.js';
import type { FailureMessage } from './messages.js';

/** An error on its way to another thread. */
export function failureOf(error: unknown): FailureMessage {
  if (!(error instanceof ParseFailure)) return { kind: 'error', stack: inspect(error) };
  const cause = error.cause === undefined ? null : inspect(error.cause);
  return { kind: 'failure', message: error.message, cause };
}

/** The error that another thread sent. */
export function errorOf(failure: FailureMessage): Error {
  if (failure.kind === 'error') return new Error(`reading failed: ${failure.stack}`);
  return new ParseFailure(failure.message, failure.cause === null ? {} : { cause: failure.cause });
}
