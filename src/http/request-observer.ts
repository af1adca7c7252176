import type { FastifyInstance } from 'fastify';
import type { Scope } from '../auth/scope.js';
import { tokensOf } from './request-signal.js';

/** A request with a good key that is over: answered, refused, or given up by its client. */
export interface ObservedRequest {
  readonly scope: Scope;
  readonly method: string;
  /** As it was declared, with `:id` where a path has an id: nothing that the caller wrote. */
  readonly route: string;
  readonly requestId: string;
  readonly at: Date;
  readonly statusCode: number;
  /** The client left before the answer was complete. */
  readonly aborted: boolean;
  readonly durationMs: number;
  /** That models have used for it. */
  readonly tokens: number;
}

/** Port: who wants to know of every request that is over. It must not wait, and must not fail. */
export abstract class RequestObserver {
  abstract over(request: ObservedRequest): void;
}

export function installRequestObserver(fastify: FastifyInstance, observer: RequestObserver): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { scope } = request;
    const route = request.routeOptions.url;
    if (scope !== null && route !== undefined) {
      const at = new Date(Date.now() - reply.elapsedTime);
      reply.raw.once('close', () => {
        observer.over({
          scope,
          method: request.method,
          route,
          requestId: request.id,
          at,
          statusCode: reply.raw.statusCode,
          aborted: !reply.raw.writableFinished,
          durationMs: reply.elapsedTime,
          tokens: tokensOf(request),
        });
      });
    }
    done();
  });
}
