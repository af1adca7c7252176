import { Injectable } from '@nestjs/common';

/** Tells the workers of this process that a job has been enqueued; other processes find it by polling. */
@Injectable()
export class WakeUp {
  private waiting: (() => void)[] = [];

  /** Call after the enqueueing transaction has committed. */
  ring(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }

  /** Resolves at the next ring or after `ms`, whichever comes first. */
  async wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.waiting.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
