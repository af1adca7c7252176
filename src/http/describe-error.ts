import { HttpException } from '@nestjs/common';
import { Invalid, LecternError, Unavailable, type InvalidItem } from '../errors/index.js';

/** What a caller learns of a failure. */
export interface ErrorDescription {
  readonly status: number;
  readonly detail: string | readonly InvalidItem[];
  readonly retryAfterSeconds?: number;
}

const DATABASE_RETRY_SECONDS = 5;

/** Connection failures of PostgreSQL: SQLSTATE classes 08 and 57P, 53300, and what the socket says. */
const DATABASE_DOWN =
  /^(08...|57P0.|53300|ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH)$/;
const CONNECTION_LOST =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

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
  if (error instanceof LecternError) {
    const { status, message, retryAfterSeconds } = error;
    return { status, detail: message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  }
  const status = clientErrorStatus(error);
  if (status !== undefined) return { status, detail: SENTENCES[status] ?? 'The request was refused' };
  if (isDatabaseDown(error)) {
    const { status: unavailable, message } = new Unavailable('The database is not reachable');
    return { status: unavailable, detail: message, retryAfterSeconds: DATABASE_RETRY_SECONDS };
  }
  return { status: 500, detail: `Internal server error (request id ${requestId})` };
}

/** A 4xx that Nest or Fastify found: unknown route, body too large, wrong content type, broken URL. */
function clientErrorStatus(error: unknown): number | undefined {
  const status =
    error instanceof HttpException
      ? error.getStatus()
      : (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

function isDatabaseDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && DATABASE_DOWN.test(code)) return true;
  if (CONNECTION_LOST.test(error.message)) return true;
  return isDatabaseDown((error as { driverError?: unknown }).driverError);
}
