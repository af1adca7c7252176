import { setTimeout as delay } from 'node:timers/promises';
import type { Deadline } from '../../errors/index.js';
import type { Failure } from './provider-errors.js';

export interface RetryPolicy {
  /** Attempts after the first. */
  readonly retries: number;
  readonly classify: (error: unknown) => Failure;
  readonly deadline: Deadline;
  /** A number in [0, 1), for the jitter. */
  readonly random?: () => number;
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

/**
 * Runs `attempt` until it succeeds, cannot be helped by trying again, or the retries or the deadline are used up.
 * Waits double from half a second, with full jitter (Brooker 2015, "Exponential Backoff And Jitter"), or as long as
 * the provider asked; a wait that would outlast the deadline is not begun.
 * @throws the classified error of the last attempt; the deadline's error once it has passed.
 */
export async function withRetries<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const { deadline, random = Math.random } = policy;
  for (let tried = 0; ; tried += 1) {
    try {
      return await attempt();
    } catch (error) {
      deadline.throwIfOver();
      const { error: reported, retry, waitMs } = policy.classify(error);
      const backoff = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** tried) * random();
      const wait = waitMs === null ? backoff : waitMs + FIRST_WAIT_MS * random();
      if (!retry || tried >= policy.retries || wait >= deadline.remainingMs()) throw reported;
      await delay(wait, undefined, { signal: deadline.signal }).catch(() => {
        deadline.throwIfOver();
      });
    }
  }
}
