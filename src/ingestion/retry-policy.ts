import { ParseFailure } from '#reader';
import {
  LecternError,
  QuotaUsedUp,
  ProviderFailed,
  Unavailable,
  DeadlineExceeded,
  TooManyRequests,
} from '../errors/index.js';
import type { ErrorKind } from '../corpus/document-row.js';
import { RuleFailed, TooLongForRules } from './rules/rule.js';

/** Maximum number of attempts without progress before the document fails. */
export const MAX_ATTEMPTS = 8;

/** Maximum number of attempts before a job is assumed to crash its worker. */
export const MAX_DEATHS = 16;

export class WorkerDied extends Error {
  constructor() {
    super(
      'The worker crashed each time it read this document. Split the document, or requeue it to try again.',
    );
  }
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 60_000;

/** Classifies a failure: unsupported or unreadable document, or an internal error. */
export function errorKindOf(error: unknown): ErrorKind {
  if (!(error instanceof ParseFailure)) return 'internal';
  return error.isUnsupportedType ? 'unsupported' : 'unreadable';
}

/** Whether a retry cannot succeed. */
export function isFinal(error: unknown): boolean {
  return (
    error instanceof ParseFailure ||
    error instanceof QuotaUsedUp ||
    error instanceof WorkerDied ||
    error instanceof TooLongForRules ||
    (error instanceof RuleFailed && error.permanent)
  );
}

/** Whether a dependency failed, so that a later retry can succeed. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof ProviderFailed ||
    error instanceof Unavailable ||
    error instanceof DeadlineExceeded ||
    error instanceof TooManyRequests
  );
}

/**
 * Returns the delay before the next attempt in milliseconds: exponential backoff with full jitter (Brooker, "Exponential
 * Backoff And Jitter", AWS Architecture Blog, 2015), and at least the delay that the provider requests.
 */
export function retryDelay(error: unknown, attempts: number, random: () => number = Math.random): number {
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
  const asked = error instanceof LecternError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return asked + Math.round(random() * ceiling);
}
