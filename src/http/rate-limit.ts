import sql from 'sql-template-tag';
import type { FastifyInstance } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../auth/scope.js';
import type { Settings } from '../config/settings.js';
import { TooManyRequests } from '../errors/index.js';
import { type Queryable, run } from '../database/run.js';

/** The time over which requests are counted, from the first one on. */
export const WINDOW_SECONDS = 60;

/** Counts the requests of keys. */
export interface Limiter {
  /** Counts a request. @returns milliseconds until the next one may come; 0: this one may. */
  consume(scope: Scope): Promise<number>;
}

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

/** How long a database that has failed is left alone. */
const PAUSE_MS = 5_000;

const MAX_BLOCKED = 10_000;

interface Count {
  readonly used: number;
  readonly leftMs: number;
}

/**
 * Counts in PostgreSQL, for all processes together: one statement for each request, by the clock of the database. A key
 * that is over its limit is refused from memory until its time is up. While the database fails, this process counts for
 * itself: a request that can be answered without it is answered.
 */
export class SharedLimiter implements Limiter {
  private readonly logger = new Logger('RateLimit');
  /** Until when, by the clock of this process. */
  private readonly blocked = new LRUCache<string, number>({ max: MAX_BLOCKED });
  private readonly alone: MemoryLimiter;
  private pausedUntil = 0;

  constructor(
    private readonly database: Queryable,
    private readonly perMinute: number,
  ) {
    this.alone = new MemoryLimiter(perMinute);
  }

  async consume(scope: Scope): Promise<number> {
    const key = `${scope.appId} ${scope.keyId}`;
    const left = (this.blocked.get(key) ?? 0) - performance.now();
    if (left > 0) return left;
    if (performance.now() < this.pausedUntil) return this.alone.consume(scope);
    try {
      const counted = await this.count(scope);
      if (counted === undefined) return await this.alone.consume(scope);
      if (counted.used <= this.perMinute) return 0;
      const waitMs = Math.max(1, counted.leftMs);
      this.blocked.set(key, performance.now() + waitMs);
      return waitMs;
    } catch (error) {
      this.pausedUntil = performance.now() + PAUSE_MS;
      this.logger.warn({ err: error }, 'cannot count requests in the database; this process counts alone');
      return this.alone.consume(scope);
    }
  }

  /** @returns undefined when the tenant has gone since its key was looked up. */
  private async count({ appId, keyId }: Scope): Promise<Count | undefined> {
    const end = sql`clock_timestamp() + make_interval(secs => ${WINDOW_SECONDS})`;
    const [row] = await run<Count>(
      this.database,
      sql`insert into rate_limits as r (app_id, key_id, used, ends_at) 
            select app_id, ${keyId}, 1, ${end} from apps where app_id = ${appId}
          on conflict (app_id, key_id) do update set
            used = case when r.ends_at <= clock_timestamp() then 1 else r.used + 1 end,
            ends_at = case when r.ends_at <= clock_timestamp() then excluded.ends_at else r.ends_at end
          returning used, extract(epoch from ends_at - clock_timestamp())::float8 * 1000 as "leftMs"`,
    );
    return row;
  }
}

/** Several processes on one server count together; the embedded database has one process. */
export function limiterFor({ DATABASE_URL, RATE_LIMIT_PER_MINUTE }: Settings, database: Queryable): Limiter {
  return DATABASE_URL === undefined
    ? new MemoryLimiter(RATE_LIMIT_PER_MINUTE)
    : new SharedLimiter(database, RATE_LIMIT_PER_MINUTE);
}
