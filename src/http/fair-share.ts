import { LRUCache } from 'lru-cache';
import type { Scope } from '../auth/scope.js';
import { pause } from '../request/pause.js';

/** Calls a second that nobody waits for, however low the limit is. */
const FREE_PER_SECOND = 20;

/** Milliseconds that a call waits for each time that its caller exceeds the free rate. */
const STEP_MS = 250;

const MAX_WAIT_MS = 5_000;

/** Time in milliseconds in which a past call loses the part 1 - 1/e of its weight. */
const MEMORY_MS = 1_000;

/** The weight of others' calls below which nobody else is there: one call, three seconds ago. */
const SOMEBODY = Math.exp(-3);

const MAX_CALLERS = 10_000;

/**
 * The calls of the last second, each with a weight that decays exponentially: at a steady rate, the calls a second.
 */
class Rate {
  private weight = 0;
  private at = 0;

  read(now: number): number {
    this.weight *= Math.exp((this.at - now) / MEMORY_MS);
    this.at = now;
    return this.weight;
  }

  add(calls: number, now: number): void {
    this.weight = this.read(now) + calls;
  }
}

type Called = Pick<Scope, 'appId' | 'keyId' | 'tokenId'>;

/** Tells callers apart that share the service: the keys, and the browser tokens of each. */
export function callerOf({ appId, keyId, tokenId }: Called): string {
  return `${appId} ${keyId} ${tokenId ?? ''}`;
}

/**
 * Slows down a caller that sends many calls while others need the service too. The rate limit alone does not help them:
 * a caller can spend its whole minute at once, and a flood of refused calls costs time as well. A call waits longer the
 * more its caller exceeds the free rate, before its body is read; refused calls wait too. A caller that is alone waits
 * never. Each process counts for itself, because it protects its own event loop.
 */
export class FairShare {
  private readonly everyone = new Rate();
  private readonly callers = new LRUCache<string, Rate>({ max: MAX_CALLERS });
  private readonly free: number;

  /** @param perMinute the limit of a key. Twice its average is free. */
  constructor(perMinute: number) {
    this.free = Math.max(FREE_PER_SECOND, (2 * perMinute) / 60);
  }

  /** Counts calls. @returns milliseconds that the caller has to wait before they are served */
  waitOf(scope: Called, calls: number): number {
    const now = performance.now();
    const name = callerOf(scope);
    const own = this.callers.get(name) ?? new Rate();
    this.callers.set(name, own);
    own.add(calls, now);
    this.everyone.add(calls, now);
    const excess = own.read(now) / this.free - 1;
    if (excess <= 0 || this.everyone.read(now) - own.read(now) < SOMEBODY) return 0;
    return Math.min(MAX_WAIT_MS, excess * STEP_MS);
  }

  /** Counts calls, and resolves when they may be served, or when their client is gone. */
  async wait(scope: Scope, calls: number, gone?: AbortSignal): Promise<void> {
    const ms = this.waitOf(scope, calls);
    if (ms > 0) await pause(ms, gone);
  }
}
