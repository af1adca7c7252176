import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { DocumentEventRepository } from '../corpus/document-event.repository.js';
import { runDetached } from '../request/request-context.js';

/** Milliseconds between two looks for events. LISTEN needs a session, which PgBouncer does not give. */
const LOOK_MS = 500;

/** One who waits for events of a tenant. */
export class Subscription {
  private hasNews = true;
  private wake: (() => void) | undefined;

  constructor(
    readonly appIds: readonly string[],
    private readonly end: (subscription: Subscription) => void,
  ) {}

  notify(): void {
    this.hasNews = true;
    this.wake?.();
  }

  /** Returns when there may be new events, or when the wait was aborted. */
  async news(signal: AbortSignal): Promise<void> {
    if (!this.hasNews && !signal.aborted) {
      await new Promise<void>((resolve) => {
        // A stream waits often: no listener may stay behind.
        const wake = (): void => {
          signal.removeEventListener('abort', wake);
          resolve();
        };
        this.wake = wake;
        signal.addEventListener('abort', wake);
      });
      this.wake = undefined;
    }
    this.hasNews = false;
  }

  close(): void {
    this.end(this);
  }
}

/** Looks for new events of all tenants for which somebody waits, with one pair of statements in each process. */
@Injectable()
export class EventFeed implements BeforeApplicationShutdown {
  private readonly logger = new Logger(EventFeed.name);
  private readonly subscriptions = new Set<Subscription>();
  private readonly stop = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  /** The oldest transaction that was running at the last look. */
  private seen: bigint | undefined;
  private below = 0n;

  constructor(private readonly events: DocumentEventRepository) {}

  /**
   * Every event of a transaction below this one can be read. It was the oldest running transaction one look ago: on a
   * cluster, a transaction ends on its node a moment after it has ended on the coordinator.
   */
  get horizon(): bigint {
    return this.below;
  }

  /** Aborted when the service stops. */
  get stopping(): AbortSignal {
    return this.stop.signal;
  }

  async subscribe(appIds: readonly string[]): Promise<Subscription> {
    if (this.timer === undefined) {
      // Nobody has waited for a while: the events until now are not news.
      this.below = await this.events.horizon();
      this.seen = undefined;
    }
    const subscription = new Subscription(appIds, (ended) => {
      this.subscriptions.delete(ended);
    });
    this.subscriptions.add(subscription);
    this.schedule();
    return subscription;
  }

  beforeApplicationShutdown(): void {
    this.stop.abort();
    clearTimeout(this.timer);
  }

  private schedule(): void {
    if (this.timer !== undefined || this.stop.signal.aborted) return;
    this.timer = setTimeout(() => {
      void runDetached(() => this.look());
    }, LOOK_MS);
  }

  private async look(): Promise<void> {
    try {
      const now = await this.events.horizon();
      const from = this.below;
      const below = this.seen ?? from;
      this.seen = now;
      if (below > from) {
        const appIds = [...new Set([...this.subscriptions].flatMap((one) => one.appIds))];
        const withNews = new Set(await this.events.withNews(appIds, from, below));
        this.below = below;
        for (const one of this.subscriptions) if (one.appIds.some((id) => withNews.has(id))) one.notify();
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'cannot look for events; trying again');
    }
    this.timer = undefined;
    if (this.subscriptions.size > 0) this.schedule();
  }
}
