import { DeadlineExceeded } from './lectern-error.js';

/**
 * An abort of its own that follows another signal until its `end`. `AbortSignal.any` does the same but never lets go of
 * a signal that somebody listened to: on one that lives as long as the process, every call would leave a kilobyte.
 */
export class LinkedAbort {
  private readonly controller = new AbortController();
  private readonly follow = (): void => {
    this.abort(this.parent?.reason);
  };

  constructor(private readonly parent: AbortSignal | undefined) {
    if (parent?.aborted) this.follow();
    else parent?.addEventListener('abort', this.follow, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  abort(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** Lets go of the other signal. */
  end(): void {
    this.parent?.removeEventListener('abort', this.follow);
  }
}

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
