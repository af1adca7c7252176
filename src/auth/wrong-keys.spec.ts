import { setImmediate } from 'node:timers/promises';
import { WRONG_KEYS_PER_MINUTE, WrongKeys } from './wrong-keys.js';

/** What the wrong keys of some addresses, one after the other, are answered. */
function refusedOf(addresses: readonly string[]): readonly boolean[] {
  const subject = new WrongKeys();
  return addresses.map((address) => {
    try {
      subject.count(address);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ status: 429, retryAfterSeconds: expect.any(Number) as unknown });
      expect((error as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThanOrEqual(1);
      expect((error as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(60);
      return true;
    }
  });
}

const SOME = Array.from({ length: WRONG_KEYS_PER_MINUTE }, (_, index) => index);

describe('wrong keys', () => {
  it('of one address are refused beyond the bound, those of others are not', () => {
    const refused = refusedOf([...SOME.map(() => '203.0.113.7'), '203.0.113.8', '203.0.113.7']);
    expect(refused.indexOf(true)).toBe(WRONG_KEYS_PER_MINUTE + 1);
  });

  it('are counted for the 64 bits of a network of version 6', () => {
    const all = SOME.map((index) => `2001:db8:0:1:${index.toString(16)}::1`);
    expect(refusedOf([...all, '2001:db8:0:1::2']).at(-1)).toBe(true);
    expect(refusedOf([...all, '2001:db8:0:2::2']).at(-1)).toBe(false);
  });

  it('are counted for one address of version 4, in either way of writing it', () => {
    const all = SOME.map(() => '203.0.113.7');
    expect(refusedOf([...all, '::ffff:203.0.113.7']).at(-1)).toBe(true);
  });

  it('are counted anew when their minute is over', async () => {
    const subject = new WrongKeys();
    const isRefused = (): boolean => {
      try {
        subject.count('203.0.113.7');
        return false;
      } catch {
        return true;
      }
    };
    while (!isRefused());
    const later = performance.now() + 60_001;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(later);
    while (isRefused()) await setImmediate();
    clock.mockRestore();
  });
});
