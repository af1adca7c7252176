import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { MethodNotAllowed } from '../errors/index.js';
import { printJson } from '../json/exact-json.js';
import { describeError, type ErrorDescription } from './describe-error.js';
import { errorAnswer } from './openai-error.js';
import { ClientGone } from './request-signal.js';

/** Converts every error of services, Nest, Fastify and the database to an HTTP response. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendError(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }
}

/** Responds to an error of a hook, parser or handler, and logs server errors. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (error instanceof ClientGone) {
    reply.raw.destroy();
    return;
  }
  const description = describeError(error, request.id);
  if (description.status >= 500) request.log.error({ err: error }, 'request failed');
  if (reply.sent || reply.raw.headersSent) {
    reply.raw.destroy(); // part of the response was sent already: without an abort, the client would consider the response complete
    return;
  }
  if (error instanceof MethodNotAllowed) void reply.header('allow', error.allowed.join(', '));
  setErrorHeaders(reply, description);
  const { status, body } = errorAnswer(request.url, description);
  void reply.status(status).type('application/json; charset=utf-8').send(printJson(body));
}

function setErrorHeaders(reply: FastifyReply, description: ErrorDescription): void {
  const { status, retryAfterSeconds, isLasting, challenge } = description;
  const asked = challenge ?? (status === 401 ? 'Bearer' : undefined);
  if (asked !== undefined) void reply.header('www-authenticate', asked);
  if (isLasting) void reply.header('x-should-retry', 'false');
  if (retryAfterSeconds !== undefined) void reply.header('retry-after', String(Math.ceil(retryAfterSeconds)));
}
