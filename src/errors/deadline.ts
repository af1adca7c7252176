import { DeadlineExceeded } from './lectern-error.js';
import { LinkedAbort } from './linked-abort.js';

/** A time limit joined with the caller's own signal; tells afterwards which of the two ended the work. */
export class Deadline {
  private readonly either: LinkedAbort;
  private readonly timer: NodeJS.Timeout;
  private readonly endsAt: number;

  /** @param message of the error when the time is up. */
  constructor(timeoutMs: number, caller: AbortSignal | undefined, message: string) {
    this.either = new LinkedAbort(caller);
    this.endsAt = performance.now() + timeoutMs;
    this.timer = setTimeout(() => {
      this.either.abort(new DeadlineExceeded(message));
    }, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.either.signal;
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
    this.either.end();
  }
}
