import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Invalid, type InvalidItem, LecternError, MethodNotAllowed } from '../errors/index.js';
import { printJson } from '../json/exact-json.js';
import { databaseFailure } from '../database/failures.js';
import { isProtocolPath } from './protocol-path.js';
import { ClientGone } from './request-signal.js';

/** The one place where errors become HTTP answers, whoever threw them: services, Nest, Fastify or the database. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/** Answers an error that a hook, a parser or a handler ended with, and logs it when it is ours. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof ClientGone) {
    reply.raw.destroy();
    return;
  }
  const description = describeError(error, request.id);
  if (description.status >= 500) request.log.error({ err: error }, 'request failed');
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy(); // half an answer is out: the client must not take it for a whole one
    return;
  }
  if (error instanceof MethodNotAllowed) void reply.header('allow', error.allowed.join(', '));
  setErrorHeaders(reply, description);
  void reply
    .status(description.status)
    .type('application/json; charset=utf-8')
    .send(printJson(errorBody(request.url, description)));
}

function setErrorHeaders(reply: FastifyReply, { status, retryAfterSeconds }: ErrorDescription): void {
  if (status === 401) void reply.header('www-authenticate', 'Bearer');
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(Math.ceil(retryAfterSeconds)));
}

export interface ErrorDescription {
  readonly status: number;
  readonly detail: string | readonly InvalidItem[];
  readonly retryAfterSeconds?: number;
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

function describeOurs({ status, message, retryAfterSeconds }: LecternError): ErrorDescription {
  return { status, detail: message, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

/** A 4xx that Nest or Fastify found: unknown route, body too large, wrong content type, broken URL. */
function clientErrorStatus(error: unknown): number | undefined {
  const status =
    error instanceof HttpException
      ? error.getStatus()
      : (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** An error as clients of the OpenAI protocol read it: they show `message` and choose their exception by the status. */
export interface OpenAiError {
  readonly message: string;
  readonly type: string;
  /** Where the first wrong value of a 422 stands, such as `metadata.k`. */
  readonly param: string | null;
  readonly code: string | number | null;
}

export function openAiError({ status, detail }: ErrorDescription): OpenAiError {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
  if (typeof detail === 'string') return { message: detail, type, param: null, code: status };
  const items = detail.map(({ loc, msg }) => ({ at: loc.slice(1).join('.'), msg }));
  return {
    message: items.map(({ at, msg }) => (at === '' ? msg : `${at}: ${msg}`)).join('; '),
    type,
    param: items[0]?.at ?? null,
    code: detail[0]?.type ?? null,
  };
}

/** Body of an error answer: `detail`, and under `/v1` also `error`. */
export function errorBody(url: string, description: ErrorDescription): object {
  const { detail } = description;
  return isProtocolPath(url) ? { detail, error: openAiError(description) } : { detail };
}
