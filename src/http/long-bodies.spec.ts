import { FairSemaphore } from './bodies.js';
import { until } from '../../test/support/until.js';

const HERE = new AbortController().signal;

describe('the semaphore for long bodies', () => {
  let semaphore: FairSemaphore;
  beforeEach(() => (semaphore = new FairSemaphore()));

  /** Requests a slot and tracks the outcome: `entered`, or the error. */
  function fate(tenant: string, gone = HERE, waitMs = 60_000): { state: string; leave: () => void } {
    const one = { state: 'waiting', leave: (): void => undefined };
    semaphore.acquire(tenant, gone, waitMs).then(
      (leave) => Object.assign(one, { state: 'entered', leave }),
      (error: unknown) => Object.assign(one, { state: (error as Error).message }),
    );
    return one;
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('has four slots, at most two per tenant, granted in order among tenants below their limit', async () => {
    const all = ['a', 'a', 'a', 'b', 'c', 'd', 'b'].map((tenant) => fate(tenant));
    await settled();
    const states = () => all.map(({ state }) => state === 'entered');
    expect(states()).toEqual([true, true, false, true, true, false, false]);
    all[4]?.leave();
    await settled();
    expect(states()).toEqual([true, true, false, true, true, true, false]);
    all[0]?.leave();
    all[0]?.leave();
    await settled();
    expect(states()).toEqual([true, true, false, true, true, true, true]);
    for (const { leave } of all) leave();
    await settled();
    expect(states()).toEqual(all.map(() => true));
    all[6]?.leave();
  });

  it('stops waiting after a time limit, or when the client disconnects', async () => {
    const holders = [fate('a'), fate('a')];
    const gone = new AbortController();
    const others = [fate('a', HERE, 1), fate('a', gone.signal)];
    gone.abort();
    await until('nobody waits', () => others.every(({ state }) => state !== 'waiting'));
    expect(others.map(({ state }) => state)).toEqual(
      others.map(() => 'Too many large requests are being read'),
    );
    await settled();
    for (const { leave } of holders) leave();
  });
});
