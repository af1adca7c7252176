import { Worker } from 'node:worker_threads';
import { workerScript } from '../../config/package-root.js';

/** By which a reader ends whose task takes too long; one that takes too much memory is killed. */
export const TIME_IS_UP = 'SIGALRM';

/** What the watching thread is started with. */
export interface Watched {
  readonly megabytes: number;
  /** Whether a task is under way. */
  readonly state: Int32Array<SharedArrayBuffer>;
  /** When its time is up: microseconds on the processor, of the whole process, and milliseconds of the clock. */
  readonly until: Float64Array<SharedArrayBuffer>;
}

export const [IDLE, BUSY] = [0, 1];

/** Work that takes so many times as long by the clock as it may on the processor is waiting for what never comes. */
const STUCK = 10;

/**
 * Holds the work of this process to its bounds. A thread of its own looks, since a decoder keeps the event loop for as long
 * as it likes. Time is that of the processor: a busy machine makes nothing fail.
 */
export class Bounds {
  private readonly state = new Int32Array(new SharedArrayBuffer(4));
  private readonly until = new Float64Array(new SharedArrayBuffer(16));

  constructor(megabytes: number) {
    const workerData: Watched = { megabytes, state: this.state, until: this.until };
    new Worker(workerScript('parsing/reader/bounds.worker.js'), { workerData }).unref();
  }

  /** Work begins that may take so long. */
  begin(seconds: number): void {
    this.until.set([spent(), Date.now()]);
    this.extend(seconds);
    this.turn(BUSY);
  }

  /** The work has turned out to be more. */
  extend(seconds: number): void {
    const [processor = 0, clock = 0] = this.until;
    this.until.set([processor + seconds * 1e6, clock + seconds * 1e3 * STUCK]);
  }

  end(): void {
    this.turn(IDLE);
  }

  private turn(state: number): void {
    Atomics.store(this.state, 0, state);
    Atomics.notify(this.state, 0);
  }
}

/** Microseconds on the processor, of all threads of this process. */
export function spent(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
