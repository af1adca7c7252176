import { Worker } from 'node:worker_threads';
import { compiledScript } from '../../compiled-script.js';

/** Signal that ends a reader whose task exceeds its time limit. A reader that exceeds its memory limit is killed. */
export const TIME_IS_UP = 'SIGALRM';

/** Start data of the watchdog thread. */
export interface Watched {
  readonly megabytes: number;
  readonly state: Int32Array<SharedArrayBuffer>;
  /** Deadlines: CPU time of the process in microseconds, and wall-clock time in milliseconds. */
  readonly until: Float64Array<SharedArrayBuffer>;
}

export const [IDLE, BUSY] = [0, 1];

/** Wall-clock limit as a multiple of the CPU limit. A task that exceeds this limit is stuck. */
const STUCK = 10;

/**
 * Enforces the limits of a task from a watchdog thread, because a decoder may block the event loop. Limits the CPU
 * time, so that a busy machine does not cause failures.
 */
export class Bounds {
  private readonly state = new Int32Array(new SharedArrayBuffer(4));
  private readonly until = new Float64Array(new SharedArrayBuffer(16));

  constructor(megabytes: number) {
    const workerData: Watched = { megabytes, state: this.state, until: this.until };
    new Worker(compiledScript('parsing/reader/bounds.worker.js'), { workerData }).unref();
  }

  /** Starts a task with a CPU time limit. */
  begin(seconds: number): void {
    this.until.set([spent(), Date.now()]);
    this.extend(seconds);
    this.turn(BUSY);
  }

  /** Raises the limit of the current task. */
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

/** CPU time of all threads of this process, in microseconds. */
export function spent(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
