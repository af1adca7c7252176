import { existsSync } from 'node:fs';
import { StepCounter } from '../support/steps.mjs';
import { BOUNDED_PLACES } from './bounded-places.js';

/** Growth of the steps when an input grows fourfold. A quadratic part would make it 16. */
const MOST = 4 * 1.4;
/** Steps that do not depend on the size. */
const CONSTANT = 20_000;
/** Steps without a turn of the event loop at most: some 20 ms. */
const HELD = 4_000_000;

describe('what the service compiles or walks for a caller', () => {
  const counter = new StepCounter();
  beforeAll(() => counter.start());
  afterAll(() => counter.stop());

  it.each(BOUNDED_PLACES)('$name: the file that counts exists', ({ countedIn }) => {
    expect(existsSync(countedIn)).toBe(true);
  });

  describe.each(BOUNDED_PLACES)('$name', ({ worst, admits, load }) => {
    it.each(Object.entries(worst))('is bounded for %s', async (_, make) => {
      const work = (await load()) as (input: unknown) => unknown;
      const stepsOf = async (size: number): Promise<number> => {
        const input = make(size);
        return counter.count(() => {
          try {
            work(input);
          } catch {
            // Refused, after as many steps as are counted.
          }
        });
      };
      await stepsOf(16); // loads the modules
      const few = await stepsOf(admits / 16);
      const many = await stepsOf(admits / 4);
      const most = await stepsOf(admits);
      expect(many).toBeLessThanOrEqual(CONSTANT + MOST * few);
      expect(most).toBeLessThanOrEqual(HELD);
    });
  });
});
