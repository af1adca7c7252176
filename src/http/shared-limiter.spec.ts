import { Logger } from '@nestjs/common';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { scopeOf, type Scope } from '../auth/scope.js';
import type { Queryable } from '../database/run.js';
import { SharedLimiter } from './rate-limit.js';

/** Returns 0 if calls are allowed, otherwise the milliseconds until the next call is. */
async function refusedMs(limiter: SharedLimiter, key: Scope, calls: number): Promise<number> {
  const { left, resetMs } = await limiter.consume(key, calls);
  return left < 0 ? resetMs : 0;
}

describe('the rate limit shared by processes', () => {
  let database: TestDatabase;
  let statements = 0;
  const counting: Queryable = {
    query(text, parameters) {
      statements += 1;
      return database.dataSource.query(text, parameters);
    },
  };
  beforeAll(async () => {
    database = await openTestDatabase();
    await database.dataSource.query(`insert into apps (app_id, name) values ('a', 'a'), ('b', 'b')`);
  }, 60_000);
  afterAll(() => database.close());
  beforeEach(() => {
    statements = 0;
  });

  const scope = (appId: string, keyId: string) => scopeOf(appId, ['read'], keyId);

  it('is shared per key of a tenant', async () => {
    const processes = [new SharedLimiter(counting, 3), new SharedLimiter(counting, 3)] as const;
    const key = scope('a', 'shared');
    expect(await refusedMs(processes[0], key, 1)).toBe(0);
    expect(await refusedMs(processes[1], key, 1)).toBe(0);
    expect(await refusedMs(processes[0], key, 1)).toBe(0);
    for (const limiter of processes) {
      const wait = await refusedMs(limiter, key, 1);
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60_000);
    }
    expect(await refusedMs(processes[0], scope('a', 'another'), 1)).toBe(0);
    expect(await refusedMs(processes[0], scope('b', 'shared'), 1)).toBe(0);
  });

  it('counts several calls at once', async () => {
    const limiter = new SharedLimiter(counting, 5);
    const key = scope('a', 'several');
    expect(await refusedMs(limiter, key, 3)).toBe(0);
    expect(await refusedMs(limiter, key, 2)).toBe(0);
    expect(await refusedMs(new SharedLimiter(counting, 5), key, 1)).toBeGreaterThan(0);
  });

  it('rejects from memory', async () => {
    const limiter = new SharedLimiter(counting, 1);
    const key = scope('a', 'refused');
    await refusedMs(limiter, key, 1);
    expect(await refusedMs(limiter, key, 1)).toBeGreaterThan(0);
    expect(statements).toBe(2);
    for (let i = 0; i < 10; i += 1) expect(await refusedMs(limiter, key, 1)).toBeGreaterThan(0);
    expect(statements).toBe(2);
  });

  it('continues for other tenants after one was deleted', async () => {
    const limiter = new SharedLimiter(counting, 1);
    expect(await refusedMs(limiter, scope('gone', 'k'), 1)).toBe(0);
    const key = scope('a', 'others');
    await refusedMs(limiter, key, 1);
    expect(await refusedMs(new SharedLimiter(counting, 1), key, 1)).toBeGreaterThan(0);
  });

  it('resets after a minute', async () => {
    const key = scope('a', 'patient');
    await refusedMs(new SharedLimiter(counting, 1), key, 1);
    await database.dataSource.query(
      `update rate_limits set ends_at = clock_timestamp() - interval '1 s' where app_id = 'a' and key_id = 'patient'`,
    );
    const limiter = new SharedLimiter(counting, 1);
    expect(await refusedMs(limiter, key, 1)).toBe(0);
    expect(await refusedMs(limiter, key, 1)).toBeGreaterThan(50_000);
  });

  it('is counted per process while the database fails, without a query per request', async () => {
    const warned = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    let asked = 0;
    const failing: Queryable = {
      query: () => {
        asked += 1;
        return Promise.reject(new Error('away'));
      },
    };
    const limiter = new SharedLimiter(failing, 2);
    const key = scope('a', 'alone');
    expect(await refusedMs(limiter, key, 1)).toBe(0);
    expect(await refusedMs(limiter, key, 1)).toBe(0);
    expect(await refusedMs(limiter, key, 1)).toBeGreaterThan(0);
    expect([asked, warned.mock.calls.length]).toEqual([1, 1]);
    warned.mockRestore();
  });
});
