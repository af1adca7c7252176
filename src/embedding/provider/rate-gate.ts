import { setTimeout as sleep } from 'node:timers/promises';
import { TooManyRequests } from '../../errors/index.js';

/**
 * Shut while a provider has asked for a pause (`Retry-After`): its answer to one call holds for every call of this
 * process, those of other documents and of questions too.
 */
export class RateGate {
  private opensAt = 0;

  /** @param provider who asks for the pause, in words: "The embedding provider". */
  constructor(private readonly provider: string) {}

  shut(seconds: number): void {
    this.opensAt = Math.max(this.opensAt, performance.now() + seconds * 1_000);
  }

  /**
   * Resolves when the gate is open.
   * @param withinMs longest time to wait.
   * @throws TooManyRequests at once when it opens later than that; the reason of `signal` when it is aborted.
   */
  async pass(withinMs: number, signal: AbortSignal | undefined): Promise<void> {
    const end = performance.now() + withinMs;
    for (let now = performance.now(); now < this.opensAt; now = performance.now()) {
      if (this.opensAt > end) {
        throw new TooManyRequests(
          `${this.provider} limits the rate of calls`,
          Math.ceil((this.opensAt - now) / 1_000),
        );
      }
      await sleep(Math.ceil(this.opensAt - now), undefined, { ...(signal && { signal }) }).catch(() => {
        signal?.throwIfAborted();
      });
    }
  }
}
