import { LecternError } from './errors.js';
import { pause } from './retry.js';
import { serverEvents, SILENCE_MS } from './server-events.js';
import type { EventOptions, StreamEvent } from './types.js';

type Open = (lastEventId: string | undefined) => Promise<Response>;
type WireEvent = StreamEvent | { readonly type: 'error'; readonly status: number; readonly detail: string };

/** Delay before a broken stream is opened again, and its maximum; it doubles while nothing arrives. */
const FIRST_WAIT_MS = 500;
const LAST_WAIT_MS = 30_000;

interface Following {
  readonly signal?: AbortSignal | undefined;
  /** Id of the event behind which the stream begins. */
  readonly after?: string | undefined;
  readonly onInterruption?: EventOptions['onInterruption'] | undefined;
}

/**
 * Events from `open` on. Opens the stream again behind the last event if it breaks or ends, also with its token: the next
 * response tells whether there is a new one.
 *
 * @throws LecternError for a response of 4xx other than 429, such as the end of the key; the abort reason of `signal`
 */
export async function* documentEvents(
  open: Open,
  { signal, after, onInterruption }: Following,
): AsyncGenerator<StreamEvent, void, undefined> {
  let last = after;
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LAST_WAIT_MS, wait * 2)) {
    let failure = new LecternError(0, 'The stream of events ended');
    try {
      const response = await open(last);
      if (!response.ok) throw LecternError.of(response, null);
      for await (const { id, data } of serverEvents(response, signal, SILENCE_MS)) {
        signal?.throwIfAborted();
        const event = data as WireEvent;
        if (event.type === 'error') {
          failure = new LecternError(event.status, event.detail);
          break;
        }
        last = id ?? last;
        wait = FIRST_WAIT_MS;
        yield event;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof LecternError) || isLasting(error)) throw error;
      failure = error;
    }
    if (failure.status !== 401) onInterruption?.(failure);
    await pause(wait, signal);
  }
}

function isLasting({ status }: LecternError): boolean {
  return status >= 400 && status < 500 && status !== 429;
}
