import type { ValidationProblem } from './types.js';

interface Circumstances {
  readonly requestId?: string | null;
  readonly cause?: unknown;
}

/**
 * A request that failed. `status` is the HTTP status, also of an error that came in the middle of a stream, or 0 when no
 * whole answer came: no connection, or one that broke. `detail` is what the service says: a sentence, or for 422 the
 * list of what is wrong with which value.
 */
export class LecternError extends Error {
  /** `X-Request-Id` of the answer, under which the log of the service has it. */
  readonly requestId: string | null;

  constructor(
    readonly status: number,
    readonly detail: string | readonly ValidationProblem[],
    { requestId = null, cause }: Circumstances = {},
  ) {
    super(messageOf(status, detail), cause === undefined ? {} : { cause });
    this.name = 'LecternError';
    this.requestId = requestId;
  }

  /** @param body of the answer: parsed JSON, or text that was none */
  static of(response: Response, body: unknown): LecternError {
    const requestId = response.headers.get('x-request-id');
    return new LecternError(response.status, detailIn(body) ?? response.statusText, { requestId });
  }

  /** No whole answer came. */
  static unanswered(cause: unknown): LecternError {
    const reason = cause instanceof Error ? cause.message : String(cause);
    return new LecternError(0, `No answer from the service (${reason})`, { cause });
  }
}

/** The content of a document could not be ingested; `detail` is the reason that the service gives. */
export class IngestionError extends Error {
  constructor(
    readonly documentId: string,
    readonly detail: string,
  ) {
    super(`Document ${documentId} was not ingested: ${detail}`);
    this.name = 'IngestionError';
  }
}

/** What something else in front of the service may answer is cut to this many characters. */
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
