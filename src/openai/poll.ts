import { setTimeout } from 'node:timers/promises';
import {
  createParamDecorator,
  Injectable,
  type BeforeApplicationShutdown,
  type ExecutionContext,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { throwIfAborted } from '../request/request-context.js';

/** How long a poll is held while there is work; proxies end what is silent for longer. */
const HOLD_MS = 10_000;

/** Milliseconds between two looks: few for a short file, more the longer one takes. */
const FIRST_LOOK_MS = 50;
const LAST_LOOK_MS = 1_000;
const GROWTH = 1.5;

/** When a client is to poll again, which is then held. */
const POLL_AFTER_MS = 200;

/** Parameter of a controller method: whether a helper of an OpenAI client polls, and waits for the end of the work. */
export const IsPoll = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const http = context.switchToHttp();
  const isPoll = http.getRequest<FastifyRequest>().headers['x-stainless-poll-helper'] === 'true';
  // Python keeps the interval of its first answer, Node reads that of each.
  if (isPoll) void http.getResponse<FastifyReply>().header('openai-poll-after-ms', String(POLL_AFTER_MS));
  return isPoll;
});

/** Holds polls of clients until there is news for them. */
@Injectable()
export class Polls implements BeforeApplicationShutdown {
  private isClosing = false;

  /** Requests that wait would hold up the end. */
  beforeApplicationShutdown(): void {
    this.isClosing = true;
  }

  /**
   * What `look` finds, once it is no longer in progress or the time of a poll is over.
   * @param isPoll false: what it finds at once
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
