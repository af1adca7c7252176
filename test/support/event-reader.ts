import type { Client } from './client.js';

export interface SentEvent {
  readonly id: string;
  readonly type: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

/** Reads an open stream of server-sent events one by one. */
export class EventReader {
  readonly seen: SentEvent[] = [];
  private buffer = '';
  private readonly decoder = new TextDecoder();

  private constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    private readonly abort: AbortController,
  ) {}

  static async open(client: Client, path: string, lastEventId?: string): Promise<EventReader> {
    const abort = new AbortController();
    const response = await client.fetch('GET', path, {
      signal: abort.signal,
      ...(lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } }),
    });
    if (response.status !== 200 || response.body === null) throw new Error(await response.text());
    return new EventReader(response.body.getReader(), abort);
  }

  /** @throws at the end of the stream */
  async next(): Promise<SentEvent> {
    for (;;) {
      const end = this.buffer.indexOf('\n\n');
      if (end >= 0) {
        const block = this.buffer.slice(0, end);
        this.buffer = this.buffer.slice(end + 2);
        const parts = /^id: (\S+)\ndata: (\{.*\})$/.exec(block);
        if (parts === null) continue; // a comment
        const event = { ...(JSON.parse(parts[2] ?? '') as SentEvent), id: parts[1] ?? '' };
        this.seen.push(event);
        return event;
      }
      const { done, value } = await this.reader.read();
      if (done) throw new Error(`the stream has ended after ${JSON.stringify(this.seen.at(-1))}`);
      this.buffer += this.decoder.decode(value, { stream: true });
    }
  }

  /** Reads up to the event that is sought. */
  async until(isSought: (event: SentEvent) => boolean): Promise<SentEvent> {
    for (;;) {
      const event = await this.next();
      if (isSought(event)) return event;
    }
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.reader.cancel().catch(() => undefined);
  }
}
