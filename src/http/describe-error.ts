import { HttpException } from '@nestjs/common';
import { databaseFailure } from '../database/failures.js';
import { Invalid, type InvalidItem, LecternError } from '../errors/index.js';

export interface ErrorDescription {
  readonly status: number;
  readonly detail: string | readonly InvalidItem[];
  readonly retryAfterSeconds?: number;
  /** What the OpenAI protocol calls the error, where it has a name of its own. */
  readonly code?: string;
  /** The field of the request at fault, for an error other than a 422. */
  readonly param?: string;
}

/** Sentences for failures that the framework finds; its own words speak of its options. */
const SENTENCES: Readonly<Record<number, string>> = {
  400: 'The request is malformed',
  404: 'Not Found',
  413: 'The request body is too large',
  414: 'The URL is too long',
  415: 'The content type is not supported by this endpoint',
  431: 'The request headers are too large',
};

/**
 * Maps any thrown value to its HTTP answer. Whatever is not known is a 500 that says nothing but the request id, under
 * which the error itself is logged.
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

function describeOurs({ status, message, retryAfterSeconds, code, param }: LecternError): ErrorDescription {
  return {
    status,
    detail: message,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(code === undefined ? {} : { code }),
    ...(param === undefined ? {} : { param }),
  };
}

/** A 4xx that Nest or Fastify found: unknown route, body too large, wrong content type, broken URL. */
function clientErrorStatus(error: unknown): number | undefined {
  const status =
    error instanceof HttpException
      ? error.getStatus()
      : (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
