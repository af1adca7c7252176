import { Injectable } from '@nestjs/common';

/** Tells the workers of this process that a job has been enqueued; other processes find it by polling. */
@Injectable()
export class WakeUp {
  private readonly waiting = new Set<() => void>();
  private rings = 0;

  /** Call after the enqueueing transaction has committed. */
  ring(): void {
    this.rings += 1;
    for (const wake of this.waiting) wake();
  }

  /** Take this before looking for work, so that a ring between the look and the wait is not missed. */
  get ticket(): number {
    return this.rings;
  }

  /** Resolves at the first ring after `ticket` was taken, or after `ms`. */
  async wait(ticket: number, ms: number): Promise<void> {
    if (ticket !== this.rings) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.waiting.add(wake);
    });
  }
}
