import { setTimeout } from 'node:timers/promises';
import {
  createParamDecorator,
  Injectable,
  type BeforeApplicationShutdown,
  type ExecutionContext,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { throwIfAborted } from '../request/request-context.js';

/**
 * Maximum time in milliseconds for which a poll waits while work is in progress. Limited, because proxies close idle
 * connections.
 */
const HOLD_MS = 10_000;

/** First interval between two checks in milliseconds. The interval grows. */
const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 1_000;
const GROWTH = 1.5;

/** Milliseconds after which a client polls again. Short, because the next poll waits in the service. */
const POLL_AFTER_MS = 200;

/** Parameter decorator: whether the request is a poll that a helper function of an OpenAI client sends. */
export const IsPoll = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  const isPoll = http.getRequest<FastifyRequest>().headers['x-stainless-poll-helper'] === 'true';
  // The Python client uses the interval of the first response for all polls, and the Node client uses the interval of
  // each response.
  if (isPoll) void http.getResponse<FastifyReply>().header('openai-poll-after-ms', String(POLL_AFTER_MS));
  return isPoll;
});

/** Lets a poll wait until the work is no longer in progress. */
@Injectable()
export class Polls implements BeforeApplicationShutdown {
  private isClosing = false;

  /** Ends all waits, because waiting requests would delay the shutdown. */
  beforeApplicationShutdown(): void {
    this.isClosing = true;
  }

  /**
   * Calls `look` until its result is no longer in progress or the maximum time of a poll is over. Returns the last
   * result.
   * @param isPoll false: returns the first result at once
   * @throws the errors of `look`; the abort reason of the current request.
   */
  async settled<T extends { readonly status: string }>(isPoll: boolean, look: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + HOLD_MS;
    for (let pause = FIRST_LOOK_MS; ; pause = Math.min(LAST_LOOK_MS, pause * GROWTH)) {
      const found = await look();
      const isOver = performance.now() >= deadline || this.isClosing;
      if (!isPoll || found.status !== 'in_progress' || isOver) return found;
      await setTimeout(pause);
      throwIfAborted();
    }
  }
}
