import sql from 'sql-template-tag';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../auth/scope.js';
import { DataSource } from 'typeorm';
import { SETTINGS, type Settings } from '../config/settings.js';
import { TooManyRequests } from '../errors/index.js';
import { type Queryable, run } from '../database/run.js';
import { isJsonObject } from '../json/exact-json.js';
import { FairShare } from './fair-share.js';
import { signalOf } from './request-signal.js';
import { rulesOf } from './routes.js';

/** Length of a window, in seconds. A window starts with its first request. */
export const WINDOW_SECONDS = 60;

/** The calls of a caller in the present window. */
export interface Allowance {
  /** Calls that are left; negative if the counted calls are refused. */
  readonly left: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** A count besides that of all calls, with a limit of its own. */
interface OwnLimit {
  readonly name: string;
  readonly perMinute: number;
}

/** Counts calls per key, and those of a browser token apart from those of its key. */
export interface Limiter {
  consume(scope: Caller, calls: number, own?: OwnLimit): Promise<Allowance>;
}

type Caller = Pick<Scope, 'appId' | 'keyId' | 'tokenId'>;

/** Names a count of a caller. */
function nameOf({ keyId, tokenId }: Omit<Caller, 'appId'>, own?: OwnLimit): string {
  return [keyId, tokenId, own?.name].filter((part) => part !== undefined).join(' ');
}

export class MemoryLimiter implements Limiter {
  private readonly limiter: RateLimiterMemory;

  constructor(private readonly perMinute: number) {
    this.limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW_SECONDS });
  }

  async consume(scope: Caller, calls: number, own?: OwnLimit): Promise<Allowance> {
    const { consumedPoints, msBeforeNext } = await this.limiter
      .consume(`${scope.appId} ${nameOf(scope, own)}`, calls)
      .catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal;
        throw refusal;
      });
    return { left: (own?.perMinute ?? this.perMinute) - consumedPoints, resetMs: Math.max(1, msBeforeNext) };
  }
}

/** Time in milliseconds for which requests are counted in memory after a failure of the database. */
const PAUSE_MS = 5_000;

const MAX_BLOCKED = 10_000;

/** Milliseconds between two deletions of past windows. */
const TIDY_MS = 600_000;

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
  private tidyAt = performance.now() + TIDY_MS;

  constructor(
    private readonly database: Queryable,
    private readonly perMinute: number,
  ) {
    this.alone = new MemoryLimiter(perMinute);
  }

  async consume(scope: Caller, calls: number, own?: OwnLimit): Promise<Allowance> {
    const perMinute = own?.perMinute ?? this.perMinute;
    const key = `${scope.appId} ${nameOf(scope, own)}`;
    const blockedMs = (this.blocked.get(key) ?? 0) - performance.now();
    if (blockedMs > 0) return { left: -1, resetMs: blockedMs };
    if (performance.now() < this.pausedUntil) return this.alone.consume(scope, calls, own);
    try {
      const counted = await this.count(scope, calls, own);
      if (counted === undefined) return await this.alone.consume(scope, calls, own);
      const resetMs = Math.max(1, counted.leftMs);
      if (counted.used > perMinute) this.blocked.set(key, performance.now() + resetMs);
      return { left: perMinute - counted.used, resetMs };
    } catch (error) {
      this.pausedUntil = performance.now() + PAUSE_MS;
      this.logger.warn(
        { err: error },
        'cannot count requests in the database; counting in this process alone',
      );
      return this.alone.consume(scope, calls, own);
    }
  }

  /** Counts calls in the database. @returns undefined if the tenant was deleted after its key was looked up */
  private async count(
    { appId, ...caller }: Caller,
    calls: number,
    own: OwnLimit | undefined,
  ): Promise<Count | undefined> {
    await this.forgetPast();
    const end = sql`clock_timestamp() + make_interval(secs => ${WINDOW_SECONDS})`;
    const [row] = await run<Count>(
      this.database,
      sql`insert into rate_limits as r (app_id, key_id, used, ends_at) 
            select app_id, ${nameOf(caller, own)}, ${calls}::integer, ${end} from apps where app_id = ${appId}
          on conflict (app_id, key_id) do update set
            used = case when r.ends_at <= clock_timestamp() then excluded.used else r.used + excluded.used end,
            ends_at = case when r.ends_at <= clock_timestamp() then excluded.ends_at else r.ends_at end
          returning used, extract(epoch from ends_at - clock_timestamp())::float8 * 1000 as "leftMs"`,
    );
    return row;
  }

  /** Deletes the rows of windows that ended: each browser token has one. */
  private async forgetPast(): Promise<void> {
    if (performance.now() < this.tidyAt) return;
    this.tidyAt = performance.now() + TIDY_MS;
    await run(
      this.database,
      sql`delete from rate_limits where ends_at < clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS})`,
    );
  }
}

/**
 * Limits the calls per minute of each key. A request is one call; the rules of a route tell how many a request carries
 * (`calls`). Requests without a key (AUTH_MODE=none, open routes) are not limited. Processes on the same database server
 * count together. The embedded database has only one process, which counts in memory.
 */
@Injectable()
export class RateLimit {
  private readonly perMinute: number;
  private readonly limiter: Limiter;
  private readonly share: FairShare;

  constructor(@Inject(SETTINGS) settings: Settings, database: DataSource) {
    this.perMinute = settings.RATE_LIMIT_PER_MINUTE;
    this.share = new FairShare(this.perMinute);
    this.limiter =
      settings.DATABASE_URL === undefined
        ? new MemoryLimiter(this.perMinute)
        : new SharedLimiter(database, this.perMinute);
  }

  /**
   * Counts the calls that a request carries besides itself.
   * @param calls all calls of the request. At most half of the limit is counted, so that a large request is possible, and
   * its caller can ask what became of it.
   * @throws TooManyRequests if the key has made too many calls.
   */
  async countBundle(scope: Scope, calls: number): Promise<void> {
    await this.count(scope, Math.min(calls - 1, Math.floor(this.perMinute / 2)));
  }

  /**
   * Counts calls. Those of a caller that takes more than its share wait first, even if they are refused then.
   * @throws TooManyRequests if the key has made too many calls.
   */
  async count(scope: Scope, calls = 1, reply?: FastifyReply): Promise<void> {
    if (this.perMinute === 0 || scope.keyId === 'none' || calls <= 0) return;
    await this.share.wait(scope, calls, reply === undefined ? undefined : signalOf(reply));
    const { left, resetMs } = await this.limiter.consume(scope, calls);
    const seconds = Math.max(1, Math.ceil(resetMs / 1_000));
    void reply?.headers({
      'ratelimit-limit': String(this.perMinute),
      'ratelimit-remaining': String(Math.max(0, left)),
      'ratelimit-reset': String(seconds),
    });
    if (left >= 0) return;
    const whose = scope.tokenId === undefined ? 'key' : 'browser token';
    throw new TooManyRequests(`More than ${this.perMinute} requests in a minute with this ${whose}`, seconds);
  }

  /**
   * Counts a question of a token that may ask a limited number of questions.
   * @throws TooManyRequests if the token has asked too many
   */
  async countQuestion({ appId, keyId, tokenId, policy }: Scope): Promise<void> {
    const perMinute = policy?.questionsPerMinute ?? null;
    if (perMinute === null) return;
    const own = { name: 'questions', perMinute };
    const { left, resetMs } = await this.limiter.consume({ appId, keyId, tokenId }, 1, own);
    if (left >= 0) return;
    throw new TooManyRequests(
      `More than ${perMinute} questions in a minute with this token`,
      Math.max(1, Math.ceil(resetMs / 1_000)),
    );
  }

  /** Counts every request, and sets `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` (in seconds). */
  install(fastify: FastifyInstance): void {
    fastify.addHook('onRequest', async ({ scope }, reply) => {
      if (scope !== null) await this.count(scope, 1, reply);
    });
    fastify.addHook('preHandler', async (request) => {
      const { scope, body } = request;
      const calls = rulesOf(request)?.calls;
      if (scope !== null && calls !== undefined && isJsonObject(body)) {
        await this.countBundle(scope, calls(body));
      }
    });
  }
}
