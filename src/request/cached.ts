import { runDetached } from './request-context.js';

/**
 * Caches the result of work for a while, failures included. Concurrent callers share one run. The work runs outside the
 * context of the request that starts it.
 */
export class Cached<T> {
  private isRunning = false;
  private last: { readonly until: number; readonly work: Promise<T> } | undefined;

  /**
   * @param ttlMs lifetime from the start of the work; 0 ends with the work
   * @param failureTtlMs lifetime of a failure
   */
  constructor(
    private readonly ttlMs: number,
    private readonly work: () => Promise<T>,
    private readonly failureTtlMs = ttlMs,
  ) {}

  get(): Promise<T> {
    if (this.last === undefined || (!this.isRunning && this.last.until <= performance.now())) {
      this.isRunning = true;
      const begun = performance.now();
      const work = runDetached(this.work)
        .catch((error: unknown) => {
          this.last = { until: begun + this.failureTtlMs, work };
          throw error;
        })
        .finally(() => {
          this.isRunning = false;
        });
      this.last = { until: begun + this.ttlMs, work };
    }
    return this.last.work;
  }

  forget(): void {
    if (!this.isRunning) this.last = undefined;
  }
}
