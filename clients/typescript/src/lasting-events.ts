import { AnswerGone, AnswerStopped, LecternError } from './errors.js';
import type { StreamOptions } from './completion-events.js';
import { pause } from './retry.js';
import type { components } from './schema.js';
import { serverEvents, SILENCE_MS } from './server-events.js';
import type { CompletionEvent } from './types.js';

type Schemas = components['schemas'];
type WireEvent = CompletionEvent | Schemas['StoppedEventDto'] | Schemas['ErrorEventDto'];

/** Delay before a broken stream is opened again, and its maximum; it doubles while nothing arrives. */
const FIRST_WAIT_MS = 250;
const LAST_WAIT_MS = 8_000;

/** How long a stream is opened again after the last event. The service keeps the events of an answer as long. */
const PATIENCE_MS = 60_000;

/** How long a stream is opened again for a question that may not have arrived. */
const ARRIVAL_PATIENCE_MS = 8_000;

/** Failures that pass: no connection, or a service that is overloaded, starts or stops. */
const PASSING = new Set([0, 429, 502, 503, 504]);

/** Events that the connection lacks are no longer kept. */
const GONE = 410;

interface Opening {
  /** Sends the question. null: the answer was begun elsewhere. Like `resume`, throws LecternError for an error status. */
  readonly ask: (() => Promise<Response>) | null;
  /** Opens the stream behind an event. */
  readonly resume: (lastEventId: string | undefined) => Promise<Response>;
  readonly after?: string | undefined;
}

/**
 * Events of an answer that goes on without its connection, up to `done`. Opens a broken stream again behind the last
 * event, for a minute, or for some seconds if the question may not have arrived.
 *
 * @throws AnswerStopped; AnswerGone; LecternError for an `error` event, for lasting failures, and the first failure of a
 *   question that may not have arrived
 */
export async function* lastingEvents(
  { ask, resume, after }: Opening,
  { signal, onRetry }: StreamOptions,
): AsyncGenerator<CompletionEvent, void, undefined> {
  let last = after;
  let hasBegun = ask === null;
  let first: LecternError | null = null;
  let open = ask ?? ((): Promise<Response> => resume(last));
  let heard = Date.now();
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(LAST_WAIT_MS, wait * 2)) {
    let failure = new LecternError(0, 'The stream ended before the answer was complete');
    try {
      const response = await open();
      hasBegun = true;
      for await (const { id, data } of serverEvents(response, signal, SILENCE_MS)) {
        signal?.throwIfAborted(); // buffered events are dropped after an abort
        const event = data as WireEvent;
        if (event.type === 'stopped') throw new AnswerStopped(event.message_index ?? null);
        if (event.type === 'error') throw new Ending(event, id, response);
        last = id ?? last;
        wait = FIRST_WAIT_MS;
        heard = Date.now();
        yield event;
        if (event.type === 'done') return;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof Ending && !error.isOfConnection) throw error.failure;
      const known = error instanceof Ending ? error.failure : error;
      if (!(known instanceof LecternError)) throw known;
      if (known.status === GONE || (known.status === 404 && hasBegun)) throw new AnswerGone(known);
      if (known.status === 404 && first !== null) throw first;
      if (!(error instanceof Ending) && !PASSING.has(known.status)) throw known;
      failure = known;
    }
    first ??= failure;
    const left = heard + (hasBegun ? PATIENCE_MS : ARRIVAL_PATIENCE_MS) - Date.now();
    if (left <= 0) throw hasBegun ? failure : first;
    // A 401 is the end of the token; the next response tells whether there is a new one.
    if (failure.status !== 401) onRetry?.(failure);
    const backoff = Math.min(left, wait / 2 + (Math.random() * wait) / 2);
    await pause(Math.max(backoff, 1_000 * (failure.retryAfter ?? 0)), signal);
    open = () => resume(last);
  }
}

/** An `error` event. Without an id it is about the connection, for example because its token has ended. */
class Ending extends Error {
  readonly failure: LecternError;
  readonly isOfConnection: boolean;

  constructor({ status, detail }: Schemas['ErrorEventDto'], id: string | undefined, response: Response) {
    super(detail);
    this.failure = new LecternError(status, detail, { requestId: response.headers.get('x-request-id') });
    this.isOfConnection = id === undefined;
  }
}
