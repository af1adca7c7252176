import { Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Settings } from '../config/settings.js';
import { runDetached } from '../request/request-context.js';

const MINUTE_MS = 60_000;

/**
 * Work that every process with a worker looks for in the database, at its start and then periodically: what a crash or
 * an outage left behind, or what is due. The start does not wait for a sweep. The stop waits for the running one, which
 * ends early if it looks at {@link stopping}.
 */
export abstract class Sweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  protected readonly logger = new Logger(this.constructor.name);
  private readonly stop = new AbortController();
  private readonly running = new Map<string, Promise<void>>();
  private sweeping: Promise<void> = Promise.resolve();
  private isAwaited = false;
  private timer: NodeJS.Timeout | undefined;

  /** @param failure what a failed sweep could not do, for the log; the next sweep tries it again */
  constructor(
    protected readonly settings: Settings,
    private readonly failure: string,
    private readonly everyMs = MINUTE_MS,
  ) {}

  abstract sweep(): Promise<void>;

  /** Runs once before the first sweep, and delays the start. */
  protected prepare(): Promise<void> {
    return Promise.resolve();
  }

  protected get stopping(): AbortSignal {
    return this.stop.signal;
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.settings.WORKER === 'off') return;
    await this.prepare();
    const next = (): void => {
      this.soon();
    };
    next();
    this.timer = setInterval(next, this.everyMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stop.abort();
    clearInterval(this.timer);
    await Promise.allSettled([this.sweeping, ...this.running.values()]);
  }

  /** Sweeps without waiting for the time: now, or once more after the running sweep. Does nothing without a worker. */
  soon(): void {
    if (this.isAwaited || this.stop.signal.aborted || this.settings.WORKER === 'off') return;
    this.isAwaited = true;
    this.sweeping = this.sweeping.then(() => {
      this.isAwaited = false;
      return runDetached(() => this.attempt());
    });
  }

  /**
   * Runs work outside the request or sweep that starts it; the stop waits for it. While work with this key runs, returns
   * that work.
   */
  protected inBackground(key: string, work: () => Promise<void>): Promise<void> {
    const running = this.running.get(key);
    if (running !== undefined) return running;
    const begun = runDetached(work).finally(() => this.running.delete(key));
    this.running.set(key, begun);
    return begun;
  }

  private async attempt(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.logger.error({ err: error }, `${this.failure}; trying again later`);
    }
  }
}
