import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import pRetry from 'p-retry';
import { Deadline, LinkedAbort } from '../../errors/index.js';
import { modelRetries, type ModelKind } from '../../telemetry/metrics.js';
import { failureOf, RateLimited, TransientFailure, type CalledProvider } from './failures.js';
import { observedCall } from './observed-call.js';

export interface Patience {
  /** Maximum number of attempts, including the first. */
  readonly attempts: number;
  /** Time in milliseconds after which no further attempt is started. */
  readonly withinMs: number;
  /** Deadline of a single attempt in milliseconds. */
  readonly timeoutMs: number;
}

interface RetryPolicy extends Pick<Patience, 'attempts' | 'withinMs'> {
  readonly kind: ModelKind;
  readonly signal?: AbortSignal | undefined;
  /** Tells whether a retry may succeed. By default, a retry may succeed after a rate limit or a transient failure. */
  readonly canHelp?: (error: unknown) => boolean;
}

const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 16_000;

/** Maximum number of concurrent batches to a provider. The batches of all callers count together. */
const CONCURRENT_BATCHES = 4;

/** Tells whether the same call may succeed later. */
export function isTransient(error: unknown): error is RateLimited | TransientFailure {
  return error instanceof RateLimited || error instanceof TransientFailure;
}

/**
 * Retries transient failures with exponential backoff from half a second and full jitter (Brooker 2015, "Exponential
 * Backoff And Jitter"), or after the delay that the provider requests. Makes no retry that would start after
 * `withinMs`.
 * @throws the error of the last attempt; the abort reason of `signal`.
 */
export async function withRetries<T>(attempt: () => Promise<T>, policy: RetryPolicy): Promise<T> {
  const { kind, attempts, withinMs, signal, canHelp = isTransient } = policy;
  const end = performance.now() + withinMs;
  signal?.throwIfAborted();
  return pRetry(attempt, {
    retries: attempts - 1,
    minTimeout: 0, // `shouldRetry` waits instead, because the delay depends on the error
    shouldRetry: async ({ error, attemptNumber }) => {
      if (!canHelp(error)) return false;
      const wait = waitAfter(error, attemptNumber);
      if (performance.now() + wait >= end) return false;
      await pause(wait, signal);
      modelRetries.inc({ kind });
      return true;
    },
  });
}

/** Returns the delay before the next attempt in milliseconds. */
function waitAfter(error: unknown, attempt: number): number {
  const requested = isTransient(error) ? error.waitMs : null;
  if (requested !== null) return requested + FIRST_WAIT_MS * Math.random();
  return Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * Math.random();
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(ms, undefined, { ...(signal && { signal }) }).catch(() => {
    signal?.throwIfAborted();
  });
}

/**
 * Makes the calls to one provider, each with retries and a deadline. If the provider requests a pause (`Retry-After`),
 * all callers in this process wait until the pause ends.
 */
export class ProviderCalls {
  private pausedUntil = 0;
  private readonly limit = pLimit(CONCURRENT_BATCHES);

  constructor(private readonly provider: CalledProvider) {}

  /**
   * Makes a call.
   * @param send makes one attempt; its errors are converted to domain errors
   * @throws ProviderFailed, RateLimited or DeadlineExceeded; the abort reason of `signal`.
   */
  run<T>(
    send: (signal: AbortSignal) => Promise<T>,
    patience: Patience,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { attempts, withinMs, timeoutMs } = patience;
    return withRetries(
      async () => {
        await this.resumed(withinMs, signal);
        return observedCall(this.provider.kind, signal, () => this.sendOnce(send, timeoutMs, signal));
      },
      { kind: this.provider.kind, attempts, withinMs, signal },
    );
  }

  /**
   * Sends items in batches and returns the results in order. If a batch fails, the other batches are cancelled, because
   * their results are useless without it.
   * @param size maximum size of a batch
   */
  async inBatches<Item, Result>(
    items: readonly Item[],
    size: number,
    call: (batch: readonly Item[], signal: AbortSignal) => Promise<readonly Result[]>,
    signal: AbortSignal | undefined,
  ): Promise<Result[]> {
    const either = new LinkedAbort(signal);
    const batches = Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
      this.limit(() => call(items.slice(index * size, (index + 1) * size), either.signal)),
    );
    try {
      return (await Promise.all(batches)).flatMap((results) => [...results]);
    } catch (error) {
      either.abort(error);
      throw error;
    } finally {
      either.end();
    }
  }

  private async sendOnce<T>(
    send: (signal: AbortSignal) => Promise<T>,
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    // Unlike the timeout of the client library, this deadline also limits the time to read the response body.
    const deadline = new Deadline(timeoutMs, signal, `${this.provider.label} did not answer in time`);
    try {
      return await send(deadline.signal);
    } catch (error) {
      deadline.throwIfOver();
      const failure = failureOf(error, this.provider);
      if (isTransient(failure)) this.pauseFor(failure.waitMs ?? 0);
      throw failure;
    } finally {
      deadline.end();
    }
  }

  private pauseFor(ms: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, performance.now() + ms);
  }

  /** Waits for the end of a pause. @throws RateLimited immediately if the pause ends after `withinMs`. */
  private async resumed(withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    const end = performance.now() + withinMs;
    for (let now = performance.now(); now < this.pausedUntil; now = performance.now()) {
      const left = this.pausedUntil - now;
      if (this.pausedUntil > end)
        throw new RateLimited(`${this.provider.label} limits the rate of requests`, left);
      await pause(Math.ceil(left), signal);
    }
  }
}
