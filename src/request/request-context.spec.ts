import {
  addTiming,
  currentSignal,
  currentTimings,
  runDetached,
  runInContext,
  throwIfAborted,
  timed,
} from './request-context.js';
import { pause } from '../../test/support/until.js';

describe('request context', () => {
  it('passes its signal and timings on to all work that it starts', async () => {
    const { signal } = new AbortController();
    const seen = await runInContext(signal, async () => {
      await timed('embed', () => pause(2, 'work'));
      await Promise.all([timed('db', () => pause(20, 'work')), timed('db', () => pause(20, 'work'))]);
      addTiming('llm', 3);
      return { signal: currentSignal(), timings: currentTimings() };
    });
    expect(seen.signal).toBe(signal);
    expect(seen.timings).toEqual({
      embed: expect.any(Number) as number,
      db: expect.any(Number) as number,
      llm: 3,
      total: expect.any(Number) as number,
    });
    expect(seen.timings['db']).toBeGreaterThan(25); // both together; a timer may fire a millisecond early
  });

  it('records the duration of a failed step', async () => {
    const timings = await runInContext(undefined, async () => {
      await timed('db', () => pause(20, 'work').then(() => Promise.reject(new Error('no')))).catch(
        () => undefined,
      );
      return currentTimings();
    });
    expect(timings['db']).toBeGreaterThan(10);
  });

  it('follows a stream through its steps', async () => {
    const { signal } = new AbortController();
    async function* stream(): AsyncGenerator<AbortSignal | undefined> {
      for (let i = 0; i < 3; i++) {
        await pause(1, 'work');
        yield currentSignal();
      }
    }
    const seen = await runInContext(signal, async () => {
      const all = [];
      for await (const one of stream()) all.push(one);
      return all;
    });
    expect(seen).toEqual([signal, signal, signal]);
  });

  it('is not shared with other requests or detached work', async () => {
    const signals = [new AbortController().signal, new AbortController().signal];
    const seen = await Promise.all(
      signals.map((signal) => runInContext(signal, () => pause(1, 'work').then(currentSignal))),
    );
    expect(seen).toEqual(signals);
    expect(runInContext(signals[0], () => runDetached(currentSignal))).toBeUndefined();
    expect([currentSignal(), currentTimings()]).toEqual([undefined, {}]);
  });

  it('throws the abort reason of its signal', () => {
    const leaving = new AbortController();
    runInContext(leaving.signal, () => {
      expect(throwIfAborted).not.toThrow();
      leaving.abort(new Error('left'));
      expect(throwIfAborted).toThrow('left');
    });
    expect(throwIfAborted).not.toThrow();
  });
});
