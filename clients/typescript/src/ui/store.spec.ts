import { Store } from './store.js';

class Counter extends Store<{ readonly count: number; readonly name: string }> {
  constructor() {
    super({ count: 0, name: '' });
  }
  often(count: number): void {
    this.updateOften({ count });
  }
  now(name: string): void {
    this.update({ name });
  }
}

describe('a store', () => {
  const told: object[] = [];
  let counter: Counter;
  beforeEach(() => {
    jest.useFakeTimers();
    told.length = 0;
    counter = new Counter();
    counter.subscribe(() => told.push(counter.get()));
  });
  afterEach(() => jest.useRealTimers());

  it('tells of the first of many changes at once, and of the others once a frame', () => {
    counter.often(1);
    expect(told).toEqual([{ count: 1, name: '' }]);
    for (let count = 2; count <= 500; count += 1) counter.often(count);
    expect(told).toHaveLength(1);
    jest.advanceTimersByTime(16);
    expect(told.slice(1)).toEqual([{ count: 500, name: '' }]);
    jest.advanceTimersByTime(1_000);
    expect(told).toHaveLength(2);
    counter.often(501);
    expect(told).toHaveLength(3);
  });

  it('tells of other changes at once, with those that wait', () => {
    counter.often(1);
    counter.often(2);
    counter.now('done');
    expect(told.at(-1)).toEqual({ count: 2, name: 'done' });
    jest.advanceTimersByTime(1_000);
    expect(told).toHaveLength(2);
  });

  it('gives the same state until the next change', () => {
    counter.often(1);
    const state = counter.get();
    counter.often(2);
    expect(counter.get()).toBe(state);
  });
});
