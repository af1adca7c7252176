import { LecternError } from './errors.js';
import type { components } from './schema.js';
import { serverEvents } from './server-events.js';
import type { CallOptions, CompletionEvent } from './types.js';

export interface StreamOptions extends CallOptions {
  /**
   * Called with the failure before every retry. A stream is retried only before its first event, unless the question has
   * an `answer_id`.
   */
  readonly onRetry?: (failure: LecternError) => void;
}

type WireEvent = CompletionEvent | components['schemas']['ErrorEventDto'];

/**
 * Events of a streamed completion up to `done`. Leaving the loop early aborts the request.
 *
 * @throws LecternError for an `error` event, and with status 0 if the stream breaks or ends without `done`
 */
export async function* completionEvents(
  response: Response,
  signal?: AbortSignal,
): AsyncGenerator<CompletionEvent, void, undefined> {
  for await (const { data } of serverEvents(response, signal)) {
    signal?.throwIfAborted(); // buffered events are dropped after an abort
    const event = data as WireEvent;
    if (event.type === 'error') {
      const requestId = response.headers.get('x-request-id');
      throw new LecternError(event.status, event.detail, { requestId });
    }
    yield event;
    if (event.type === 'done') return;
  }
  throw new LecternError(0, 'The stream ended before the answer was complete');
}
