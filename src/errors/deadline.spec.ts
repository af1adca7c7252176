import { getEventListeners } from 'node:events';
import { Deadline, LinkedAbort } from './deadline.js';
import { DeadlineExceeded } from './lectern-error.js';

const REASON = new Error('left');

describe('LinkedAbort', () => {
  it('follows its parent, even one aborted earlier', () => {
    const parent = new AbortController();
    const before = new LinkedAbort(parent.signal);
    parent.abort(REASON);
    expect([before.signal.reason, new LinkedAbort(parent.signal).signal.reason]).toEqual([REASON, REASON]);
  });

  it('aborts without its parent', () => {
    const parent = new AbortController();
    const linked = new LinkedAbort(parent.signal);
    linked.abort(REASON);
    expect([linked.signal.reason, parent.signal.aborted]).toEqual([REASON, false]);
  });

  it('detaches from its parent at its end', () => {
    const parent = new AbortController();
    const linked = new LinkedAbort(parent.signal);
    const deadline = new Deadline(60_000, parent.signal, 'too late');
    linked.end();
    deadline.end();
    expect(getEventListeners(parent.signal, 'abort')).toEqual([]);
    parent.abort(REASON);
    expect([linked.signal.aborted, deadline.signal.aborted]).toEqual([false, false]);
  });
});

describe('Deadline', () => {
  it('keeps the first abort reason', async () => {
    const caller = new AbortController();
    const left = new Deadline(60_000, caller.signal, 'too late');
    const late = new Deadline(0, caller.signal, 'too late');
    await new Promise((resolve) => {
      late.signal.addEventListener('abort', resolve);
    });
    caller.abort(REASON);
    left.end();
    expect([left.signal.reason, late.signal.reason]).toEqual([REASON, new DeadlineExceeded('too late')]);
    expect(() => {
      late.throwIfOver();
    }).toThrow('too late');
  });
});
