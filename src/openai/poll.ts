import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Seconds for which a poll waits while work is in progress. Limited, because proxies close idle connections. */
const HOLD_SECONDS = 10;

/** Milliseconds after which a client polls again. Short, because the next poll waits in the service. */
const POLL_AFTER_MS = 200;

/**
 * Parameter decorator: the seconds for which the request waits while work is in progress: 0, unless a helper function
 * of an OpenAI client sends it as a poll.
 */
export const PollSeconds = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  const isPoll = http.getRequest<FastifyRequest>().headers['x-stainless-poll-helper'] === 'true';
  // The Python client uses the interval of the first response for all polls, and the Node client uses the interval of
  // each response.
  if (isPoll) void http.getResponse<FastifyReply>().header('openai-poll-after-ms', String(POLL_AFTER_MS));
  return isPoll ? HOLD_SECONDS : 0;
});

export function isFinished({ status }: { readonly status: string }): boolean {
  return status !== 'in_progress';
}
