import { DeadlineExceeded } from './lectern-error.js';

/**
 * An abort controller that follows another signal until `end` is called. It replaces `AbortSignal.any`, which never
 * releases a signal that has listeners. `AbortSignal.any` would leak a kilobyte per call if one of its signals lives as
 * long as the process.
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

  /** Detaches from the other signal. */
  end(): void {
    this.parent?.removeEventListener('abort', this.follow);
  }
}

/** Combines a time limit with the signal of the caller. The abort reason tells which of the two ended the work. */
export class Deadline {
  private readonly either: LinkedAbort;
  private readonly timer: NodeJS.Timeout;
  private readonly endsAt: number;

  /** @param message message of the error when the time limit is exceeded */
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

  /** @throws DeadlineExceeded after the time limit; the caller's abort reason after an abort. */
  throwIfOver(): void {
    this.signal.throwIfAborted();
  }

  /** Clears the timer, and detaches from the caller's signal. */
  end(): void {
    clearTimeout(this.timer);
    this.either.end();
  }
}
