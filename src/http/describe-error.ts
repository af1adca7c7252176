import { HttpException } from '@nestjs/common';
import { databaseFailure } from '../database/failures.js';
import { Invalid, type InvalidItem, LecternError } from '../errors/index.js';

export interface ErrorDescription {
  readonly status: number;
  readonly detail: string | readonly InvalidItem[];
  readonly retryAfterSeconds?: number;
  /** Error code of the OpenAI protocol; absent if the protocol defines no code for this error. */
  readonly code?: string;
  /** The request field that caused the error. A 422 has locations instead. */
  readonly param?: string;
  /** Set if retries fail until somebody changes the settings. */
  readonly isLasting?: true;
  /** Value of `WWW-Authenticate`, see `LecternError`. */
  readonly challenge?: string;
}

/**
 * Messages for errors that the framework detects. They replace the framework's own messages, which mention its options.
 */
const SENTENCES: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  404: 'Not Found',
  413: 'The request body is too large',
  414: 'The URL is too long',
  415: 'The content type is not supported by this endpoint',
  431: 'The request headers are too large',
};

/**
 * Maps any thrown value to its HTTP response. An unknown error becomes a 500 whose only detail is the request id. The
 * error is logged under this id.
 */
export function describeError(error: unknown, requestId: string): ErrorDescription {
  if (error instanceof Invalid) return { status: error.status, detail: error.items };
  if (error instanceof LecternError) return describeOurs(error);
  const status = clientErrorStatus(error);
  if (status !== undefined) return { status, detail: SENTENCES[status] ?? 'The request was refused' };
  const failure = databaseFailure(error);
  if (failure !== undefined) return describeOurs(failure);
  return { status: 500, detail: `Internal server error (request id ${requestId})` };
}

function describeOurs(error: LecternError): ErrorDescription {
  const { status, message, retryAfterSeconds, code, param, isLasting, challenge } = error;
  return {
    status,
    detail: message,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(code === undefined ? {} : { code }),
    ...(param === undefined ? {} : { param }),
    ...(isLasting ? { isLasting } : {}),
    ...(challenge === undefined ? {} : { challenge }),
  };
}

/**
 * Returns the status of an error if it is a 4xx from Nest or Fastify: unknown route, body too large, wrong content
 * type, or malformed URL.
 */
function clientErrorStatus(error: unknown): number | undefined {
  const status =
    error instanceof HttpException
      ? error.getStatus()
      : (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
