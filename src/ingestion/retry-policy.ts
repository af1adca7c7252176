import {
  LecternError,
  ProviderFailed,
  Unavailable,
  DeadlineExceeded,
  TooManyRequests,
} from '../errors/index.js';
import type { ErrorKind } from '../corpus/document-row.js';
import { ParseFailure } from '../parsing/parse-failure.js';
import { RuleFailed, TooLongForRules } from './rules/rule.js';

/** Failed tries of one job without getting ahead before its document is failed. */
export const MAX_ATTEMPTS = 8;

/** Tries after which a job is taken for one that kills its worker. */
export const MAX_DEATHS = 16;

export class WorkerDied extends Error {
  constructor() {
    super('The worker died every time it read this document: divide it, or requeue it to try again.');
  }
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 60_000;

/** Whose fault it is that a document failed. */
export function errorKindOf(error: unknown): ErrorKind {
  if (!(error instanceof ParseFailure)) return 'internal';
  return error.isUnsupportedType ? 'unsupported' : 'unreadable';
}

/** Trying again cannot help. */
export function isFinal(error: unknown): boolean {
  return (
    error instanceof ParseFailure ||
    error instanceof WorkerDied ||
    error instanceof TooLongForRules ||
    (error instanceof RuleFailed && error.permanent)
  );
}

/** Whether trying the same work again later can help: a dependency failed, the document did not. */
export function isTransient(error: unknown): boolean {
  return (
    error instanceof ProviderFailed ||
    error instanceof Unavailable ||
    error instanceof DeadlineExceeded ||
    error instanceof TooManyRequests
  );
}

/**
 * Milliseconds until the next try: exponential with full jitter (Brooker, "Exponential Backoff And Jitter", AWS
 * Architecture Blog, 2015), and never sooner than the provider asked for.
 */
export function retryDelay(error: unknown, attempts: number, random: () => number = Math.random): number {
  const ceiling = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempts - 1));
  const asked = error instanceof LecternError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  return asked + Math.round(random() * ceiling);
}
