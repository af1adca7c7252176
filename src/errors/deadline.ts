import { DeadlineExceeded } from './lectern-error.js';

/**
 * An abort controller that follows another signal until `end`. `AbortSignal.any` never releases a signal with listeners:
 * on a signal that lives as long as the process, every call would leak a kilobyte.
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

/** A time limit joined with the caller's signal. Knows which of the two ended the work. */
export class Deadline {
  private readonly either: LinkedAbort;
  private readonly timer: NodeJS.Timeout;
  private readonly endsAt: number;

  /** @param message of the error after the time limit */
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

  /** @throws DeadlineExceeded after the time limit, or the caller's abort reason. */
  throwIfOver(): void {
    this.signal.throwIfAborted();
  }

  /** Releases the timer and the caller's signal. */
  end(): void {
    clearTimeout(this.timer);
    this.either.end();
  }
}
