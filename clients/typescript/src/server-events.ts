import { createParser } from 'eventsource-parser';
import { LecternError } from './errors.js';

/** An event of `text/event-stream` whose data is JSON. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly data: unknown;
}

/** A connection on which nothing arrives for this long is broken: the service sends something every 15 seconds. */
export const SILENCE_MS = 45_000;

/**
 * @param silenceMs the stream counts as broken if nothing arrives for so long
 * @throws LecternError with status 0 if the stream breaks
 */
export async function* serverEvents(
  response: Response,
  signal?: AbortSignal,
  silenceMs = Infinity,
): AsyncGenerator<ServerEvent, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder(); // the bytes of a character may be in two network reads
  const events: ServerEvent[] = [];
  const parser = createParser({
    onEvent: ({ id, data }) => {
      events.push({ id, data: JSON.parse(data) as unknown });
    },
  });
  try {
    for (;;) {
      const { done, value } = await read(reader, signal, silenceMs);
      if (done) return;
      parser.feed(decoder.decode(value, { stream: true }));
      yield* events.splice(0);
    }
  } finally {
    // On a broken stream this rejects with the error that was thrown already.
    await reader.cancel().catch(() => undefined);
  }
}

type Read =
  { readonly done: true; readonly value?: undefined } | { readonly done: false; readonly value: Uint8Array };

async function read(
  reader: { read(): Promise<unknown> },
  signal: AbortSignal | undefined,
  silenceMs: number,
): Promise<Read> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_, reject) => {
    if (silenceMs === Infinity) return;
    timer = setTimeout(() => {
      reject(new Error('nothing arrived'));
    }, silenceMs);
  });
  try {
    return (await Promise.race([reader.read(), silence])) as Read;
  } catch (error) {
    signal?.throwIfAborted();
    throw LecternError.unanswered(error);
  } finally {
    clearTimeout(timer);
  }
}
