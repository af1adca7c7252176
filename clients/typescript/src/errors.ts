import { retryAfterMs } from './retry-after.js';
import type { components } from './schema.js';

type ValidationProblem = components['schemas']['ValidationItemDto'];

interface Circumstances {
  readonly requestId?: string | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/**
 * A failed request. `status` is the HTTP status, also for errors within a stream. It is 0 if no complete response
 * arrived, because there was no connection or the connection broke. `detail` is the service's message; for 422 the list
 * of validation errors.
 */
export class LecternError extends Error {
  /** `X-Request-Id` of the response, to find it in the service's log. */
  readonly requestId: string | null;
  /** Seconds after which the service asks to try again, from `Retry-After`. */
  readonly retryAfter: number | null;

  constructor(
    readonly status: number,
    readonly detail: string | readonly ValidationProblem[],
    { requestId = null, retryAfter = null, cause }: Circumstances = {},
  ) {
    super(messageOf(status, detail), cause === undefined ? {} : { cause });
    this.name = 'LecternError';
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  /** @param body parsed JSON, or other text */
  static of(response: Response, body: unknown): LecternError {
    const requestId = response.headers.get('x-request-id');
    const wait = retryAfterMs(response.headers.get('retry-after'));
    const retryAfter = wait === undefined ? null : wait / 1_000;
    return new LecternError(response.status, detailIn(body) ?? response.statusText, {
      requestId,
      retryAfter,
    });
  }

  /** Makes the error for a missing or incomplete response. */
  static unanswered(cause: unknown): LecternError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new LecternError(0, `No response from the service (${reason})`, { cause });
  }
}

/**
 * The service no longer keeps the events of an answer that has begun: it has ended, or another process writes it (404), or
 * it is very long (410). Its chat has it when it has ended.
 */
export class AnswerGone extends LecternError {
  constructor({ status, detail, requestId, retryAfter }: LecternError) {
    super(status, detail, { requestId, retryAfter });
    this.name = 'AnswerGone';
  }
}

/** An answer with an `answer_id` was stopped, by this client or another one. */
export class AnswerStopped extends Error {
  /** @param messageIndex index of the answer in its chat, which keeps the text so far; null: nothing was stored */
  constructor(readonly messageIndex: number | null) {
    super('The answer was stopped');
    this.name = 'AnswerStopped';
  }
}

/** Processing of a document failed; `detail` is the service's reason. */
export class IngestionError extends Error {
  constructor(
    readonly documentId: string,
    readonly detail: string,
  ) {
    super(`Document ${documentId} was not ingested: ${detail}`);
    this.name = 'IngestionError';
  }
}

/** Maximum length of the error text from a proxy. */
const LONGEST_FOREIGN_DETAIL = 500;

function detailIn(body: unknown): string | readonly ValidationProblem[] | null {
  if (typeof body === 'string') return body === '' ? null : body.slice(0, LONGEST_FOREIGN_DETAIL);
  if (typeof body !== 'object' || body === null || !('detail' in body)) return null;
  const { detail } = body;
  if (Array.isArray(detail)) return detail as readonly ValidationProblem[];
  return typeof detail === 'string' ? detail : null;
}

function messageOf(status: number, detail: string | readonly ValidationProblem[]): string {
  const sentence =
    typeof detail === 'string' ? detail : detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return status === 0 ? sentence : `${status}: ${sentence}`;
}
