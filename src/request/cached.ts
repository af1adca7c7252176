import { runDetached } from './request-context.js';

/**
 * Caches the result of work for a while, failures included. Concurrent callers share one run. The work runs outside the
 * context of the request that starts it.
 */
export class Cached<T> {
  private isRunning = false;
  private last: { readonly at: number; readonly work: Promise<T> } | undefined;

  /** @param ttlMs lifetime from the start of the work; 0 ends with the work */
  constructor(
    private readonly ttlMs: number,
    private readonly work: () => Promise<T>,
  ) {}

  get(): Promise<T> {
    if (this.last === undefined || (!this.isRunning && this.last.at <= performance.now() - this.ttlMs)) {
      this.isRunning = true;
      const work = runDetached(this.work).finally(() => {
        this.isRunning = false;
      });
      this.last = { at: performance.now(), work };
    }
    return this.last.work;
  }

  forget(): void {
    if (!this.isRunning) this.last = undefined;
  }
}
