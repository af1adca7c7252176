import { DeadlineExceeded } from '../errors/index.js';

/** A time limit joined with the caller's own signal; tells afterwards which of the two ended the work. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly endsAt: number;
  private readonly cancel = (): void => {
    this.controller.abort(this.caller?.reason);
  };

  constructor(
    private readonly timeoutMs: number,
    private readonly caller: AbortSignal | undefined,
  ) {
    this.endsAt = performance.now() + timeoutMs;
    this.timer = setTimeout(() => {
      this.controller.abort(this.exceeded());
    }, timeoutMs);
    if (caller?.aborted) this.cancel();
    else caller?.addEventListener('abort', this.cancel, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  remainingMs(): number {
    return this.endsAt - performance.now();
  }

  /** @throws DeadlineExceeded when the time is up, or the caller's reason when the caller gave up. */
  throwIfOver(): void {
    this.signal.throwIfAborted();
  }

  /** Lets go of the timer and of the caller. */
  end(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.cancel);
  }

  private exceeded(): DeadlineExceeded {
    return new DeadlineExceeded(`The model did not answer within ${this.timeoutMs} ms`);
  }
}
