import { runDetached } from './request-context.js';

/**
 * Work whose outcome holds for a while, failures included; whoever asks meanwhile shares it, and it is never begun twice at
 * a time. It runs outside of the request that happens to begin it.
 */
export class Cached<T> {
  private isRunning = false;
  private last: { readonly at: number; readonly work: Promise<T> } | undefined;

  /** @param ttlMs from the beginning of the work; 0: until its end */
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
