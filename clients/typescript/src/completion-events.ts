import { createParser } from 'eventsource-parser';
import { LecternError } from './errors.js';
import type { CallOptions, CompletionEvent } from './types.js';

export interface StreamOptions extends CallOptions {
  /** Called with the failure before every retry. A stream is retried only before its first event. */
  readonly onRetry?: (failure: LecternError) => void;
}

type WireEvent =
  CompletionEvent | { readonly type: 'error'; readonly status: number; readonly detail: string };

/**
 * Events of a streamed completion up to `done`. Leaving the loop early aborts the request.
 *
 * @throws LecternError for an `error` event, and with status 0 if the stream breaks or ends without `done`
 */
export async function* completionEvents(
  response: Response,
  signal?: AbortSignal,
): AsyncGenerator<CompletionEvent, void, undefined> {
  for await (const event of wireEvents(response, signal)) {
    signal?.throwIfAborted(); // buffered events are dropped after an abort
    if (event.type === 'error') {
      const requestId = response.headers.get('x-request-id');
      throw new LecternError(event.status, event.detail, { requestId });
    }
    yield event;
    if (event.type === 'done') return;
  }
  throw new LecternError(0, 'The stream ended before the answer was complete');
}

async function* wireEvents(
  response: Response,
  signal?: AbortSignal,
): AsyncGenerator<WireEvent, void, undefined> {
  if (response.body === null) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder(); // the bytes of a character may be in two network reads
  const events: WireEvent[] = [];
  const parser = createParser({
    onEvent: ({ data }) => {
      events.push(JSON.parse(data) as WireEvent);
    },
  });
  try {
    for (;;) {
      const { done, value } = await read(reader, signal);
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

async function read(reader: { read(): Promise<unknown> }, signal?: AbortSignal): Promise<Read> {
  try {
    return (await reader.read()) as Read;
  } catch (error) {
    signal?.throwIfAborted();
    throw LecternError.unanswered(error);
  }
}
