import { setTimeout } from 'node:timers/promises';
import {
  createParamDecorator,
  Injectable,
  type BeforeApplicationShutdown,
  type ExecutionContext,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { throwIfAborted } from '../request/request-context.js';

/** Maximum time a poll is held while work is in progress; proxies end connections that are silent for longer. */
const HOLD_MS = 10_000;

/** Interval between two checks in ms: short at first, growing with the duration. */
const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 1_000;
const GROWTH = 1.5;

/** Seconds after which a client polls again; that poll is held. */
const POLL_AFTER_MS = 200;

/** Parameter of a controller method: whether the request is a poll by a helper of an OpenAI client. */
export const IsPoll = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  const isPoll = http.getRequest<FastifyRequest>().headers['x-stainless-poll-helper'] === 'true';
  // Python keeps the interval of its first answer, Node reads that of each.
  if (isPoll) void http.getResponse<FastifyReply>().header('openai-poll-after-ms', String(POLL_AFTER_MS));
  return isPoll;
});

/** Holds polls of clients until the status changes. */
@Injectable()
export class Polls implements BeforeApplicationShutdown {
  private isClosing = false;

  /** Waiting requests would delay the shutdown. */
  beforeApplicationShutdown(): void {
    this.isClosing = true;
  }

  /**
   * Returns the result of `look` once it is no longer in progress, or when the time of a poll is over.
   * @param isPoll false: returns the first result
   * @throws what `look` throws; the reason of the present signal.
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
