import type { AuditLog } from './audit/audit-log.js';
import { RefusalCounts } from './audit/refusal-counts.js';
import { WRONG_KEYS_PER_MINUTE, WrongKeys } from './wrong-keys.js';
import { until } from '../../test/support/until.js';

const NO_LOG = { recordAll: () => Promise.resolve() } as unknown as AuditLog;

/** Returns for each attempt, in order, whether the attempt was throttled. */
function refusedOf(addresses: readonly string[]): Promise<readonly boolean[]> {
  const subject = new WrongKeys(new RefusalCounts(NO_LOG));
  const attempts = addresses.map(async (address) => {
    try {
      await subject.count(address);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, retryAfterSeconds: expect.any(Number) as unknown });
      expect((error as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect((error as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(60);
      return true;
    }
  });
  return Promise.all(attempts);
}

const SOME = Array.from({ length: WRONG_KEYS_PER_MINUTE }, (_, index) => index);

describe('WrongKeys', () => {
  it('throttles an address beyond the limit, and no other address', async () => {
    const refused = await refusedOf([...SOME.map(() => '203.0.113.7'), '203.0.113.8', '203.0.113.7']);
    expect(refused.indexOf(true)).toBe(WRONG_KEYS_PER_MINUTE + 1);
  });

  it('counts an IPv6 /64 network as one address', async () => {
    const all = SOME.map((index) => `2001:db8:0:1:${index.toString(16)}::1`);
    expect((await refusedOf([...all, '2001:db8:0:1::2'])).at(-1)).toBe(true);
    expect((await refusedOf([...all, '2001:db8:0:2::2'])).at(-1)).toBe(false);
  });

  it('counts an IPv4 address and its IPv6 notation as one', async () => {
    const all = SOME.map(() => '203.0.113.7');
    expect((await refusedOf([...all, '::ffff:203.0.113.7'])).at(-1)).toBe(true);
  });

  it('starts a new count after a minute', async () => {
    const subject = new WrongKeys(new RefusalCounts(NO_LOG));
    const isRefused = async (): Promise<boolean> => {
      try {
        await subject.count('203.0.113.7');
        return false;
      } catch {
        return true;
      }
    };
    await until('the address is refused', isRefused);
    const later = performance.now() + 60_001;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(later);
    await until('the address is no longer refused', async () => !(await isRefused()));
    clock.mockRestore();
  });
});
