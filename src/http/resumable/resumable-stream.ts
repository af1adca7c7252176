import { EventEmitter, once, setMaxListeners } from 'node:events';
import { Gone, Invalid, type Location, TooManyRequests } from '../../errors/index.js';
import type { PrintedEvent } from '../event-text.js';
import { KeptEvents } from './kept-events.js';

/** Connections that follow a stream at the same time. */
const MOST_FOLLOWERS = 20;
const RETRY_SECONDS = 5;

/** Abort reason of a stream that its caller stopped. The source stores what it has, and may tell so in a last event. */
export class Stopped extends Error {
  constructor() {
    super('The caller stopped the stream');
    this.name = 'Stopped';
  }
}

/**
 * A stream of events that goes on without its connection. Any number of connections follow it from any event on, as long
 * as the event is kept.
 */
export class ResumableStream<About extends object = object> {
  readonly kept = new KeptEvents();
  readonly begunAt = new Date();
  /** Resolves when the source has ended. */
  readonly ended: Promise<void>;
  isEnded = false;
  private failure: Error | undefined;
  private followers = 0;
  private readonly news = new EventEmitter().setMaxListeners(0);
  private readonly aborting = new AbortController();
  private resolve: () => void = () => undefined;

  /**
   * @param owner who may follow and stop the stream; see `ResumableStreams`
   * @param content hash of the request
   */
  constructor(
    readonly appId: string,
    readonly owner: string,
    readonly id: string,
    readonly content: Buffer,
    readonly about: About,
  ) {
    setMaxListeners(0, this.aborting.signal);
    this.ended = new Promise((resolve) => {
      this.resolve = resolve;
    });
  }

  /** Whether a connection follows the stream now. */
  get isFollowed(): boolean {
    return this.followers > 0;
  }

  /** Aborts the work of the source. */
  get signal(): AbortSignal {
    return this.aborting.signal;
  }

  /** Ends the stream early. @param reason becomes its last event, unless it is {@link Stopped} */
  abort(reason: Error): void {
    this.aborting.abort(reason);
  }

  add(event: PrintedEvent): void {
    this.kept.add(event);
    this.news.emit('news');
  }

  /** @param failure thrown to those who follow; undefined: the events tell how the stream ended */
  end(failure?: Error): void {
    this.failure = failure;
    this.isEnded = true;
    this.news.emit('news');
    this.resolve();
  }

  /**
   * The events behind one, as they come, to the end of the stream.
   *
   * @param after id of the last event that the connection has; -1: none
   * @param place of the id in the request
   * @param signal of the connection
   * @throws Invalid for the id of an event that has not happened; Gone if events behind it are no longer kept;
   *   TooManyRequests for too many connections; the failure of a stream without events
   */
  async *follow(
    after: number,
    place: Location,
    signal: AbortSignal,
  ): AsyncGenerator<PrintedEvent, void, undefined> {
    if (after >= this.kept.next) throw Invalid.at(place, 'Value error, the answer has no such event yet');
    if (this.followers >= MOST_FOLLOWERS) {
      throw new TooManyRequests(`More than ${MOST_FOLLOWERS} connections follow this answer`, RETRY_SECONDS);
    }
    this.followers += 1;
    try {
      for (let id = after + 1; ; id += 1) {
        while (id >= this.kept.next) {
          if (this.isEnded) {
            if (this.failure !== undefined) throw this.failure;
            return;
          }
          await this.change(signal);
        }
        const event = this.kept.at(id);
        if (event === undefined) throw new Gone('The beginning of this answer is no longer kept');
        yield event;
      }
    } finally {
      this.followers -= 1;
    }
  }

  private async change(signal: AbortSignal): Promise<void> {
    try {
      await once(this.news, 'news', { signal });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }
}
