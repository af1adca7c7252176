import sql from 'sql-template-tag';
import type { FastifyInstance } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../auth/scope.js';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { TooManyRequests } from '../errors/index.js';
import { type Queryable, run } from '../database/run.js';

/** Length of a window, in seconds. A window starts with its first request. */
export const WINDOW_SECONDS = 60;

export interface Limiter {
  /**
   * Counts calls.
   * @returns 0 if all of them are allowed; otherwise the milliseconds until the next call is allowed.
   */
  consume(scope: Scope, calls: number): Promise<number>;
}

export class MemoryLimiter implements Limiter {
  private readonly limiter: RateLimiterMemory;

  constructor(perMinute: number) {
    this.limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  }

  async consume({ appId, keyId }: Scope, calls: number): Promise<number> {
    try {
      await this.limiter.consume(`${appId} ${keyId}`, calls);
      return 0;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return Math.max(1, refusal.msBeforeNext);
    }
  }
}

/** Time in milliseconds for which requests are counted in memory after a failure of the database. */
const PAUSE_MS = 5_000;

const MAX_BLOCKED = 10_000;

interface Count {
  readonly used: number;
  readonly leftMs: number;
}

/**
 * Counts the requests of all processes together in PostgreSQL, with one statement per request and by the clock of the
 * database. Once a key exceeds its limit, this process rejects the key's requests until the window ends, without asking
 * the database. While the database fails, each process counts separately, so that requests that do not need the database
 * are served.
 */
export class SharedLimiter implements Limiter {
  private readonly logger = new Logger('RateLimit');
  /** End of the window of each blocked key, by the monotonic clock of this process. */
  private readonly blocked = new LRUCache<string, number>({ max: MAX_BLOCKED });
  private readonly alone: MemoryLimiter;
  private pausedUntil = 0;

  constructor(
    private readonly database: Queryable,
    private readonly perMinute: number,
  ) {
    this.alone = new MemoryLimiter(perMinute);
  }

  async consume(scope: Scope, calls: number): Promise<number> {
    const key = `${scope.appId} ${scope.keyId}`;
    const left = (this.blocked.get(key) ?? 0) - performance.now();
    if (left > 0) return left;
    if (performance.now() < this.pausedUntil) return this.alone.consume(scope, calls);
    try {
      const counted = await this.count(scope, calls);
      if (counted === undefined) return await this.alone.consume(scope, calls);
      if (counted.used <= this.perMinute) return 0;
      const waitMs = Math.max(1, counted.leftMs);
      this.blocked.set(key, performance.now() + waitMs);
      return waitMs;
    } catch (error) {
      this.pausedUntil = performance.now() + PAUSE_MS;
      this.logger.warn(
        { err: error },
        'cannot count requests in the database; counting in this process alone',
      );
      return this.alone.consume(scope, calls);
    }
  }

  /** Counts calls in the database. @returns undefined if the tenant was deleted after its key was looked up */
  private async count({ appId, keyId }: Scope, calls: number): Promise<Count | undefined> {
    const end = sql`clock_timestamp() + make_interval(secs => ${WINDOW_SECONDS})`;
    const [row] = await run<Count>(
      this.database,
      sql`insert into rate_limits as r (app_id, key_id, used, ends_at) 
            select app_id, ${keyId}, ${calls}::integer, ${end} from apps where app_id = ${appId}
          on conflict (app_id, key_id) do update set
            used = case when r.ends_at <= clock_timestamp() then excluded.used else r.used + excluded.used end,
            ends_at = case when r.ends_at <= clock_timestamp() then excluded.ends_at else r.ends_at end
          returning used, extract(epoch from ends_at - clock_timestamp())::float8 * 1000 as "leftMs"`,
    );
    return row;
  }
}

/**
 * Limits the calls per minute of each key. A request is one call; a request that carries several calls counts the others
 * itself. Requests without a key (AUTH_MODE=none, open routes) are not limited. Processes on the same database server
 * count together. The embedded database has only one process, which counts in memory.
 */
@Injectable()
export class RateLimit {
  private readonly perMinute: number;
  private readonly limiter: Limiter;

  constructor(@Inject(SETTINGS) settings: Settings, database: DataSource) {
    this.perMinute = settings.RATE_LIMIT_PER_MINUTE;
    this.limiter =
      settings.DATABASE_URL === undefined
        ? new MemoryLimiter(this.perMinute)
        : new SharedLimiter(database, this.perMinute);
  }

  /** @throws TooManyRequests if the key has made too many calls. */
  async count(scope: Scope, calls = 1): Promise<void> {
    if (this.perMinute === 0 || scope.keyId === 'none' || calls === 0) return;
    const waitMs = await this.limiter.consume(scope, calls);
    if (waitMs === 0) return;
    throw new TooManyRequests(
      `More than ${this.perMinute} requests in a minute with this key`,
      Math.max(1, Math.ceil(waitMs / 1_000)),
    );
  }

  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', async ({ scope }) => {
      if (scope !== null) await this.count(scope);
    });
  }
}
