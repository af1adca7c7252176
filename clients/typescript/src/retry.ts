import { LecternError } from './errors.js';
import { retryAfterMs } from './retry-after.js';

/** Statuses of temporary failures: a restart, an overload, or a failure of a proxy. */
const TRANSIENT = new Set([429, 502, 503, 504]);

/** Number and delays of retries. */
export interface RetryPolicy {
  /** Retries after the first attempt. */
  readonly retries: number;
  /**
   * Delay before the first retry. Doubles with every retry. Half of the delay is random, so that clients do not retry
   * at the same time.
   */
  readonly firstWaitMs: number;
  /** Maximum delay. If `Retry-After` is longer, the client does not retry, and the caller gets the response. */
  readonly maxWaitMs: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { retries: 3, firstWaitMs: 500, maxWaitMs: 30_000 };

interface Attempts extends RetryPolicy {
  /**
   * Whether the request is idempotent. A request that is not idempotent is retried only after a 429, because a 429
   * means that the request had no effect.
   */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | null;
  /** Called with the failure before the delay of every retry. */
  readonly onRetry?: ((failure: LecternError) => void) | undefined;
}

/**
 * Returns the first response that is not retryable or, after all retries, the last response. `attempt` must build a new
 * request each time.
 *
 * @throws LecternError with status 0 if no response arrived; the abort reason of the signal
 */
export async function withRetries(
  attempt: () => Promise<Response>,
  { repeatable, signal, onRetry, ...policy }: Attempts,
): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const isLast = tries >= policy.retries;
    let wait = backoff(tries, policy);
    try {
      const response = await attempt();
      const { status } = response;
      const asked = retryAfterMs(response.headers.get('retry-after'));
      // A 409 with a time: the service still works on the first attempt.
      const isRunning = status === 409 && asked !== undefined;
      const mayPass = status === 429 || (repeatable && (TRANSIENT.has(status) || isRunning));
      const isLasting = response.headers.get('x-should-retry') === 'false';
      if (isLast || !mayPass || isLasting || (asked ?? 0) > policy.maxWaitMs) return response;
      await response.body?.cancel();
      wait = asked ?? wait;
      onRetry?.(LecternError.of(response, null));
    } catch (error) {
      signal?.throwIfAborted();
      if (isLast || !repeatable) throw LecternError.unanswered(error);
      onRetry?.(LecternError.unanswered(error));
    }
    await pause(wait, signal);
  }
}

/** A `fetch` that retries requests as their method and headers allow. */
export function retryingFetch(
  fetch: (request: Request) => Promise<Response>,
  policy: RetryPolicy,
  { repeatable, onRetry }: Pick<Attempts, 'repeatable' | 'onRetry'>,
): (request: Request) => Promise<Response> {
  return (request) => {
    // A clone of a form would keep all of its files in memory.
    const isForm = request.headers.get('content-type')?.startsWith('multipart/') ?? false;
    return withRetries(() => fetch(isForm ? request : request.clone()), {
      ...policy,
      retries: isForm ? 0 : policy.retries,
      repeatable: repeatable || isRepeatable(request),
      signal: request.signal,
      onRetry,
    });
  };
}

function isRepeatable({ method, headers }: Request): boolean {
  return ['GET', 'HEAD'].includes(method) || headers.has('idempotency-key');
}

function backoff(tries: number, { firstWaitMs, maxWaitMs }: RetryPolicy): number {
  const wait = Math.min(firstWaitMs * 2 ** tries, maxWaitMs);
  return wait / 2 + (Math.random() * wait) / 2;
}

/** @throws the abort reason of the signal */
export async function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const aborted = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}
