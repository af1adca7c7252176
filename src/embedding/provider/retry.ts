import { setTimeout as sleep } from 'node:timers/promises';
import { ProviderFailed, TooManyRequests } from '../../errors/index.js';

/** The provider was unreachable or answered 5xx: the same call may succeed a moment later. */
export class TransientFailure extends ProviderFailed {}

export interface RetryPolicy {
  /** Calls in all, the first one included. */
  readonly attempts: number;
  /** No new attempt starts after this many milliseconds. */
  readonly withinMs: number;
  readonly signal?: AbortSignal | undefined;
}

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 16_000;

/**
 * Repeats a call that was rate-limited or failed in passing. Waits as long as the provider's `Retry-After` says,
 * otherwise for exponential backoff with full jitter (Brooker, "Exponential Backoff and Jitter", 2015).
 *
 * @throws the last error when it is of another kind, or when neither attempts nor time are left; the reason of
 *   `signal` when it is aborted.
 */
export async function withRetries<T>(call: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const end = performance.now() + policy.withinMs;
  for (let attempt = 1; ; attempt++) {
    policy.signal?.throwIfAborted();
    try {
      return await call();
    } catch (error) {
      const delay = delayBefore(attempt, error);
      if (delay === undefined || attempt >= policy.attempts || performance.now() + delay > end) throw error;
      await pause(delay, policy.signal);
    }
  }
}

/** Milliseconds to wait after the `attempt`-th failure; undefined when repeating cannot help. */
function delayBefore(attempt: number, error: unknown): number | undefined {
  if (!(error instanceof TooManyRequests || error instanceof TransientFailure)) return undefined;
  if (error.retryAfterSeconds !== undefined) return error.retryAfterSeconds * 1_000;
  return Math.random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, { ...(signal && { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
