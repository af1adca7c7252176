import type { JobLimits } from './job-watch.js';
import { ReadingThread, type Answer, type JobOptions } from './reading-thread.js';
import type { Job, ReaderOptions } from './messages.js';

/** One reading thread and the jobs that wait for it, first come, first served. */
export class Lane {
  private readonly thread: ReadingThread;
  /** Ends when the jobs so far have. */
  private queue: Promise<unknown> = Promise.resolve();

  constructor(options: ReaderOptions, limits: JobLimits) {
    this.thread = new ReadingThread(options, limits);
  }

  async run(job: Job, options: JobOptions): Promise<Answer> {
    options.signal?.throwIfAborted();
    const turn = this.queue.then(() => this.thread.run(job, options));
    this.queue = turn.catch(() => undefined); // the caller learns of it through `turn`
    return turn;
  }

  async end(): Promise<void> {
    await this.thread.end();
  }
}
