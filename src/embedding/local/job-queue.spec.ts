import { JobQueue } from './job-queue.js';

const job = (id: number) => ({ id });

describe('the queue of the text model', () => {
  it('gives jobs turns', () => {
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
    queue.add(job(2));
    queue.clear();
    expect(queue.next()).toBeUndefined();
  });
});
