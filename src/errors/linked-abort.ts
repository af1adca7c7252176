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
