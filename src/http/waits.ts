import { setTimeout } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { throwIfAborted } from '../request/request-context.js';
import { Draining } from './draining.js';

/** The first interval between two looks in milliseconds, its growth, and its maximum. */
const FIRST_LOOK_MS = 50;
const GROWTH = 1.5;
const LAST_LOOK_MS = 500;

/** Requests that wait for the end of background work. */
@Injectable()
export class Waits {
  constructor(private readonly draining: Draining) {}

  /**
   * Calls `look` until its result is settled, the time is up, or the service stops, which a waiting request would delay.
   * @param seconds 0: looks once
   * @returns the last result
   * @throws the errors of `look`; the abort reason of the request.
   */
  async settled<T>(seconds: number, look: () => Promise<T>, isSettled: (found: T) => boolean): Promise<T> {
    const deadline = performance.now() + 1_000 * seconds;
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(LAST_LOOK_MS, pause * GROWTH)) {
      const found = await look();
      const left = deadline - performance.now();
      if (isSettled(found) || left <= 0 || this.draining.isClosing) return found;
      await setTimeout(Math.min(pause, left));
      throwIfAborted();
    }
  }
}
