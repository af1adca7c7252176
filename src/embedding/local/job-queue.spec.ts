import { JobQueue } from './job-queue.js';

const job = (id: number, urgent = false) => ({ id, urgent });

describe('the queue of the text model', () => {
  it('takes urgent jobs first', () => {
    const queue = new JobQueue();
    queue.add(job(1));
    queue.add(job(2, true));
    expect(queue.next()?.id).toBe(2);
    queue.remove(2);
    expect(queue.next()?.id).toBe(1);
  });

  it('gives jobs of one kind turns', () => {
    const queue = new JobQueue();
    queue.add(job(1));
    queue.add(job(2));
    expect([queue.next()?.id, queue.next()?.id, queue.next()?.id]).toEqual([1, 2, 1]);
  });

  it('forgets a removed job and one it never had', () => {
    const queue = new JobQueue();
    queue.add(job(1));
    queue.remove(1);
    queue.remove(99);
    expect(queue.next()).toBeUndefined();
  });

  it('is empty after clear', () => {
    const queue = new JobQueue();
    queue.add(job(1));
    queue.add(job(2, true));
    queue.clear();
    expect(queue.next()).toBeUndefined();
  });
});
