/** A received event of `text/event-stream`. */
export interface ReceivedEvent {
  readonly id: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Reads a stream to its end. @throws Error if a block is not an event of the protocol. */
export async function readEvents(response: Response): Promise<ReceivedEvent[]> {
  return eventsIn(await response.text());
}

/** Returns the events in a text. A block is a comment, or one `id:` line and one `data:` line of JSON. */
export function eventsIn(text: string): ReceivedEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      const parts = /^id: (\d+)\ndata: (\{.*\})$/.exec(block);
      if (parts === null) throw new Error(`not an event: ${block}`);
      return { ...(JSON.parse(parts[2] ?? '') as { type: string }), id: Number(parts[1]) };
    });
}

/** Joins the deltas of a stream. */
export function streamedText(events: readonly ReceivedEvent[]): string {
  return events.flatMap(({ type, content }) => (type === 'assistant' ? String(content) : [])).join('');
}
