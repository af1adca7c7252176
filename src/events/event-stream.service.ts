import { Injectable } from '@nestjs/common';
import { type Scope, shardIds } from '../auth/scope.js';
import {
  DocumentEventRepository,
  type EventPage,
  type EventPosition,
} from '../corpus/document-event.repository.js';
import type { DocumentEventType } from '../corpus/document-events.js';
import { Invalid, TooManyRequests } from '../errors/index.js';
import type { DocumentSelection } from '../filters/document-predicate.js';
import { IdentifiedEvent } from '../http/event-text.js';
import { documentEvent, END_OF_TRANSACTION } from './document-event.js';
import { EventIds } from './event-ids.js';
import { EventFeed } from './event-feed.js';
import type { StreamEvent } from './event.dto.js';

/** Maximum number of open streams of one caller, and of the process. */
const PER_CALLER = 20;
const PER_PROCESS = 1_000;
const RETRY_SECONDS = 10;

export interface EventRequest {
  readonly selection: DocumentSelection;
  /** null: all. */
  readonly types: readonly DocumentEventType[] | null;
  /** Id of the last event that the client has seen; null: the stream begins now. */
  readonly lastEventId: string | null;
}

/** Streams what happens to the documents that a caller may read. */
@Injectable()
export class EventStreamService {
  private readonly open = new Map<string, number>();
  private streams = 0;

  constructor(
    private readonly events: DocumentEventRepository,
    private readonly feed: EventFeed,
    private readonly ids: EventIds,
  ) {}

  /**
   * Events in order, until `signal` aborts or the service stops.
   * @throws Invalid for an id that is none; TooManyRequests beyond the bound of open streams
   */
  async *stream(
    scope: Scope,
    { selection, types, lastEventId }: EventRequest,
    signal: AbortSignal,
  ): AsyncGenerator<IdentifiedEvent, void, undefined> {
    const given = lastEventId === null ? null : this.ids.positionOf(lastEventId);
    if (given === undefined) throw Invalid.at(['header', 'Last-Event-ID'], 'Value error, not an event id');
    const release = this.enter(callerOf(scope));
    const ends = AbortSignal.any([signal, this.feed.stopping]);
    const subscription = await this.feed.subscribe(shardIds(scope)).catch((error: unknown) => {
      release();
      throw error;
    });
    try {
      let position = await this.begin(given);
      const isWhole = given === null || position === given;
      yield opening(isWhole ? 'stream.ready' : 'stream.reset', this.ids.idOf(position));
      while (!ends.aborted) {
        await subscription.news(ends);
        let page: EventPage;
        do {
          page = await this.events.after(scope, selection, position, this.feed.horizon);
          for (const event of page.events) {
            if (types === null || types.includes(event.type))
              yield new IdentifiedEvent(this.ids.idOf(event.position), documentEvent(event));
          }
          position = page.last ?? position;
        } while (page.isFull);
      }
      signal.throwIfAborted();
    } finally {
      subscription.close();
      release();
    }
  }

  private async begin(given: EventPosition | null): Promise<EventPosition> {
    const { horizon } = this.feed;
    if (given !== null && (await this.events.reaches(given, horizon))) return given;
    return { xid: horizon - 1n, seq: END_OF_TRANSACTION };
  }

  private enter(caller: string): () => void {
    const before = this.open.get(caller) ?? 0;
    if (before >= PER_CALLER || this.streams >= PER_PROCESS) {
      throw new TooManyRequests(`More than ${PER_CALLER} open event streams`, RETRY_SECONDS);
    }
    this.open.set(caller, before + 1);
    this.streams += 1;
    return () => {
      this.streams -= 1;
      const left = (this.open.get(caller) ?? 1) - 1;
      if (left > 0) this.open.set(caller, left);
      else this.open.delete(caller);
    };
  }
}

function callerOf({ appId, keyId, tokenId, endUserId }: Scope): string {
  return JSON.stringify([appId, keyId, tokenId, endUserId]);
}

function opening(type: 'stream.ready' | 'stream.reset', id: string): IdentifiedEvent {
  return new IdentifiedEvent(id, {
    type,
    timestamp: new Date().toISOString(),
  } satisfies StreamEvent);
}
