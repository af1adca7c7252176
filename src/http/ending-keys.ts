import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Authenticator, LIVENESS_TTL_MS } from '../auth/authenticator.js';
import { credentialsOf } from '../auth/credentials.js';
import { Forbidden, Unauthorized } from '../errors/index.js';
import { endResponse } from './request-signal.js';

/**
 * Milliseconds between two checks. A grant is remembered for {@link LIVENESS_TTL_MS}, so a response ends within a
 * second after its key.
 */
const CHECK_MS = 800 - LIVENESS_TTL_MS;

/**
 * Ends the responses of a key that stops working while they are sent: answers that are streamed, and answers that wait
 * for a model. The key may end in another process. Writes run to their end: they have no signal.
 */
@Injectable()
export class EndingKeys {
  constructor(private readonly authenticator: Authenticator) {}

  install(fastify: FastifyInstance): void {
    fastify.addHook('preHandler', (request, reply, done) => {
      if (request.scope !== null) {
        const leave = this.watch(request, (reason) => {
          endResponse(reply, reason);
        });
        reply.raw.once('close', leave);
      }
      done();
    });
  }

  /**
   * Calls `end` once the key of a request no longer works, within a second.
   * @returns a function that ends the watch
   */
  watch(request: FastifyRequest, end: (reason: Unauthorized | Forbidden) => void): () => void {
    const { log, scope } = request;
    const credentials = credentialsOf(request);
    const check = async (): Promise<void> => {
      try {
        await this.authenticator.requireWorking(credentials, scope);
      } catch (error) {
        if (error instanceof Unauthorized || error instanceof Forbidden) end(error);
        // A database that does not answer ends no stream: the next check tells.
        else log.warn({ err: error }, 'cannot check the key of a running response');
      }
    };
    const timer = setInterval(() => void check(), CHECK_MS).unref();
    return () => {
      clearInterval(timer);
    };
  }
}
