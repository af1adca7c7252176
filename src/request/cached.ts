import { runDetached } from './request-context.js';

/**
 * Caches the result of work for some time, even if the result is a failure. Concurrent callers share one run of the
 * work. The work runs outside the context of the request that starts it.
 */
export class Cached<T> {
  private latest: Run<T> | undefined;

  /**
   * @param ttlMs lifetime of a result, counted from the start of the work; with 0, callers only share a run that has
   * not ended
   * @param failureTtlMs lifetime of a failure, counted in the same way
   */
  constructor(
    private readonly ttlMs: number,
    private readonly work: () => Promise<T>,
    private readonly failureTtlMs = ttlMs,
  ) {}

  get(): Promise<T> {
    const { latest } = this;
    if (latest !== undefined && (latest.isRunning || latest.until > performance.now())) return latest.work;
    const begun = performance.now();
    const run: Run<T> = {
      until: begun + this.ttlMs,
      isRunning: true,
      work: runDetached(this.work)
        .catch((error: unknown) => {
          run.until = begun + this.failureTtlMs;
          throw error;
        })
        .finally(() => {
          run.isRunning = false;
        }),
    };
    this.latest = run;
    return run.work;
  }

  /** Makes the next call of {@link get} run the work again, even if a run has not ended. */
  forget(): void {
    this.latest = undefined;
  }
}

interface Run<T> {
  /** Expiry of the result, in milliseconds of the monotonic clock of the process. */
  until: number;
  isRunning: boolean;
  readonly work: Promise<T>;
}
