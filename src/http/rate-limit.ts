import type { FastifyInstance } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Scope } from '../auth/scope.js';
import { TooManyRequests } from '../errors/index.js';

/** The time over which requests are counted, from the first one on. */
export const WINDOW_SECONDS = 60;

/** Counts the requests of keys. */
export interface Limiter {
  /** Counts a request. @returns milliseconds until the next one may come; 0: this one may. */
  consume(scope: Scope): Promise<number>;
}

/** Counts in the memory of this process. */
export class MemoryLimiter implements Limiter {
  private readonly limiter: RateLimiterMemory;

  constructor(perMinute: number) {
    this.limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  }

  async consume({ appId, keyId }: Scope): Promise<number> {
    try {
      await this.limiter.consume(`${appId} ${keyId}`);
      return 0;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return Math.max(1, refusal.msBeforeNext);
    }
  }
}

/**
 * Limits the requests of each key in a minute. Without keys (AUTH_MODE=none) and on open routes there is nothing to count
 * by, and no limit.
 * @param perMinute 0 turns it off.
 */
export function installRateLimit(fastify: FastifyInstance, perMinute: number, limiter: Limiter): void {
  if (perMinute === 0) return;
  fastify.addHook('onRequest', async ({ scope }) => {
    if (scope === null || scope.keyId === 'none') return;
    const waitMs = await limiter.consume(scope);
    if (waitMs === 0) return;
    throw new TooManyRequests(
      `More than ${perMinute} requests in a minute with this key`,
      Math.max(1, Math.ceil(waitMs / 1_000)),
    );
  });
}
