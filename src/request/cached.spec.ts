import { currentSignal, runInContext } from './request-context.js';
import { Cached } from './cached.js';

describe('Cached', () => {
  it('shares a result between concurrent callers, failures included', async () => {
    let calls = 0;
    const cached = new Cached(60_000, () => Promise.reject(new Error(`call ${(calls += 1)}`)));
    await expect(Promise.allSettled([cached.get(), cached.get()])).resolves.toMatchObject([
      { reason: { message: 'call 1' } },
      { reason: { message: 'call 1' } },
    ]);
    await expect(cached.get()).rejects.toThrow('call 1');
    cached.forget();
    await expect(cached.get()).rejects.toThrow('call 2');
  });

  it('runs again after its lifetime and never twice at once', async () => {
    const ends: ((call: number) => void)[] = [];
    const cached = new Cached(0, () => new Promise<number>((resolve) => ends.push(resolve)));
    const both = [cached.get(), cached.get()];
    expect(ends).toHaveLength(1);
    ends[0]?.(1);
    await expect(Promise.all(both)).resolves.toEqual([1, 1]);
    const next = cached.get();
    ends[1]?.(2);
    await expect(next).resolves.toBe(2);
  });

  it('runs again at once when it is told to forget a run that has not ended', async () => {
    const ends: ((call: number) => void)[] = [];
    const cached = new Cached(60_000, () => new Promise<number>((resolve) => ends.push(resolve)));
    const outdated = cached.get();
    cached.forget();
    const current = cached.get();
    ends[1]?.(2);
    ends[0]?.(1);
    await expect(Promise.all([outdated, current, cached.get()])).resolves.toEqual([1, 2, 2]);
  });

  it('continues when the request that started it is aborted', async () => {
    const cached = new Cached(0, () => Promise.resolve(currentSignal()));
    const { signal } = new AbortController();
    await expect(runInContext(signal, () => cached.get())).resolves.toBeUndefined();
  });
});
