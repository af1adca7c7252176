import type { FastifyInstance } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { TooManyRequests } from '../errors/index.js';

/**
 * Limits the requests of each key in a minute, in the memory of this process. Without keys (AUTH_MODE=none) and on open
 * routes there is nothing to count by, and no limit.
 * @param perMinute 0 turns it off.
 */
export function installRateLimit(fastify: FastifyInstance, perMinute: number): void {
  if (perMinute === 0) return;
  const limiter = new RateLimiterMemory({ points: perMinute, duration: 60 });
  fastify.addHook('onRequest', async ({ scope }) => {
    if (scope === null || scope.keyId === 'none') return;
    try {
      await limiter.consume(`${scope.appId} ${scope.keyId}`);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      throw new TooManyRequests(
        `More than ${perMinute} requests in a minute with this key`,
        Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000)),
      );
    }
  });
}
