import { KEPT_HOURS } from '../kept-hours.js';
import { delayAfter } from './retry-schedule.js';

const never = (): number => 0;

describe('the retries of a delivery', () => {
  const delays = (random: () => number): number[] => {
    const found: number[] = [];
    for (let delay = delayAfter(1, null, random); delay !== null;) {
      found.push(delay);
      delay = delayAfter(found.length + 1, null, random);
    }
    return found;
  };

  it('are seven in a little more than a day, with growing delays', () => {
    const found = delays(never);
    expect(found).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 36_000]);
    expect(found.reduce((sum, one) => sum + one, 0) / 3_600).toBeCloseTo(27.6, 1);
  });

  it('end long before the event is deleted, with the largest jitter', () => {
    const hours = delays(() => 1).reduce((sum, one) => sum + one, 0) / 3_600;
    expect(hours).toBeGreaterThan(28);
    expect(hours).toBeLessThan(KEPT_HOURS / 2);
  });

  it.each([
    [1, 60_000, 60],
    [1, 1_000, 5],
    [1, 86_400_000, 3_600],
    [8, 60_000, null],
  ])('after attempt %i, if the receiver asks for %i ms, begin in %s s', (attempts, asked, seconds) => {
    expect(delayAfter(attempts, asked, never)).toBe(seconds);
  });
});
