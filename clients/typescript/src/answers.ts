import type { Client } from 'openapi-fetch';
import { answered } from './answer.js';
import type { StreamOptions } from './completion-events.js';
import { LecternError } from './errors.js';
import { lastingEvents } from './lasting-events.js';
import { pause } from './retry.js';
import type { paths } from './schema.js';
import type { AskerOptions, CompletionEvent, RunningAnswer } from './types.js';

/** How often a stop is sent for a question that may still be on its way, and the pause between. */
const STOP_TRIES = 4;
const STOP_PAUSE_MS = 500;

/** Answers to questions with an `answer_id`: they go on when their connection ends. */
export class Answers {
  /** @param send fetch that retries after a lost connection */
  constructor(
    private readonly raw: Client<paths>,
    private readonly send: (request: Request) => Promise<Response>,
  ) {}

  /** Answers that are being written, oldest first; with `chat_id` those of one chat. */
  running({ signal, ...query }: AskerOptions & { readonly chat_id?: string } = {}): Promise<RunningAnswer[]> {
    return answered(this.raw.GET('/answers', { params: { query }, signal: signal ?? null }));
  }

  /**
   * Events of an answer from its beginning, or behind `lastEventId`, up to `done`. Goes on by itself after an interruption
   * of at most a minute. Leaving the loop or aborting leaves the answer: it goes on at the service.
   *
   * @throws AnswerStopped; AnswerGone, if only its chat has the answer; LecternError
   */
  follow(
    answerId: string,
    {
      signal,
      onRetry,
      lastEventId,
      ...asker
    }: AskerOptions & StreamOptions & { readonly lastEventId?: string } = {},
  ): AsyncGenerator<CompletionEvent, void, undefined> {
    return lastingEvents(
      {
        ask: null,
        resume: (last) => resumedAnswer(this.raw, answerId, last, { ...asker, ...(signal && { signal }) }),
        after: lastEventId,
      },
      { ...(signal && { signal }), ...(onRetry && { onRetry }) },
    );
  }

  /**
   * Ends an answer. Its chat then has the text so far.
   *
   * @param options `isOnItsWay`: the question may not have arrived yet, so that an unknown answer is waited for
   * @throws LecternError 404 if the answer is not kept
   */
  async stop(
    answerId: string,
    { signal, isOnItsWay = false, ...query }: AskerOptions & { readonly isOnItsWay?: boolean } = {},
  ): Promise<void> {
    const params = { path: { answer_id: answerId }, query };
    const options = { params, fetch: this.send, signal: signal ?? null };
    for (let tries = 1; ; tries += 1) {
      try {
        await answered(this.raw.POST('/answers/{answer_id}/stop', options));
        return;
      } catch (error) {
        const isUnknown = error instanceof LecternError && error.status === 404;
        if (!isUnknown || !isOnItsWay || tries === STOP_TRIES) throw error;
        await pause(STOP_PAUSE_MS, signal);
      }
    }
  }
}

/** Opens the stream of an answer behind an event. @throws LecternError for an error status */
export async function resumedAnswer(
  raw: Client<paths>,
  answerId: string,
  lastEventId: string | undefined,
  { signal, ...query }: AskerOptions,
): Promise<Response> {
  const { response, error } = await raw.GET('/answers/{answer_id}/events', {
    params: {
      path: { answer_id: answerId },
      query,
      ...(lastEventId === undefined ? {} : { header: { 'Last-Event-ID': lastEventId } }),
    },
    parseAs: 'stream',
    signal: signal ?? null,
  });
  if (!response.ok) throw LecternError.of(response, error);
  return response;
}
