import { LecternError } from './errors.js';

/** What a restart, an overload or a proxy in front gives, and a later try may change. */
const PASSING = new Set([429, 502, 503, 504]);

/** How often, and with which waits in milliseconds, a request is sent again. */
export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number;
  /** Doubled with every try; half of a wait is random, so that clients do not come back all at once. */
  readonly firstWaitMs: number;
  /** A `Retry-After` beyond it is not waited for: the answer goes to the caller. */
  readonly maxWaitMs: number;
}

export const DEFAULT_RETRIES: RetryPolicy = { retries: 3, firstWaitMs: 500, maxWaitMs: 30_000 };

interface Attempts extends RetryPolicy {
  /** Whether doing it twice is the same as doing it once. Otherwise it is repeated after a 429 only: nothing was done. */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | null;
}

/**
 * The first answer that is none to try again on, or the last one. `attempt` builds a request of its own each time.
 * @throws LecternError with status 0 when no answer came; the reason of the signal when that was given
 */
export async function withRetries(
  attempt: () => Promise<Response>,
  { repeatable, signal, ...policy }: Attempts,
): Promise<Response> {
  for (let tries = 0; ; tries++) {
    const isLast = tries >= policy.retries;
    let wait = backoff(tries, policy);
    try {
      const response = await attempt();
      const mayPass = response.status === 429 || (repeatable && PASSING.has(response.status));
      const asked = retryAfterMs(response.headers.get('retry-after'));
      if (isLast || !mayPass || (asked ?? 0) > policy.maxWaitMs) return response;
      await response.body?.cancel();
      wait = asked ?? wait;
    } catch (error) {
      signal?.throwIfAborted();
      if (isLast || !repeatable) throw LecternError.unanswered(error);
    }
    await pause(wait, signal);
  }
}

/** `fetch` for requests, each repeated as its method and headers allow. */
export function retryingFetch(
  fetch: (request: Request) => Promise<Response>,
  policy: RetryPolicy,
  { repeatable }: { readonly repeatable: boolean },
): (request: Request) => Promise<Response> {
  return (request) => {
    // A copy of a form holds all of its files in memory.
    const isForm = request.headers.get('content-type')?.startsWith('multipart/') ?? false;
    return withRetries(() => fetch(isForm ? request : request.clone()), {
      ...policy,
      retries: isForm ? 0 : policy.retries,
      repeatable: repeatable || isRepeatable(request),
      signal: request.signal,
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

/** The header has seconds or a date (RFC 9110, section 10.2.3). */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** @throws the reason of the signal, as soon as it is given */
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
