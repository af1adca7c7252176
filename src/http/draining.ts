import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Unavailable } from '../errors/index.js';

/** Time in milliseconds within which running requests must finish after the shutdown begins. */
const GRACE_MS = 20_000;
const POLL_MS = 100;

/** Retry-After of refused requests, which another process may accept. */
const RETRY_SECONDS = 5;

const READINESS = '/health/ready';

/** Time in milliseconds for aborted work to store what it has. */
const LAST_WORDS_MS = 3_000;

/** Work that goes on without a response, such as an answer whose reader has left. */
export interface DetachedWork {
  /** Ends the work early. */
  abort(): void;
  /** Resolves when the work has ended. */
  readonly ended: Promise<void>;
}

/**
 * Graceful shutdown. First the readiness probe fails (`begin`). Then new requests are refused until running requests
 * have finished. The port stays open meanwhile, so that a load balancer gets a response. Then the port and all
 * connections are closed at once. Fastify itself closes only idle keep-alive connections. Browsers and load balancers
 * also open connections in advance. A connection without a request yet would delay the exit.
 */
@Injectable()
export class Draining implements BeforeApplicationShutdown {
  private readonly running = new Set<ServerResponse>();
  private readonly detached = new Set<DetachedWork>();
  private isStopping = false;
  /** Whether new requests are refused, and waiting ones have to end. */
  isClosing = false;
  private fastify: FastifyInstance | undefined;

  install(fastify: FastifyInstance): void {
    this.fastify = fastify;
    fastify.server.on('request', (_request, response) => {
      if (this.isClosing) return;
      this.running.add(response);
      response.once('close', () => this.running.delete(response));
    });
    fastify.addHook('onRequest', ({ routeOptions: { url } }, _reply, done) => {
      const isRefused = this.isClosing || (this.isStopping && url === READINESS);
      done(isRefused ? new Unavailable('The service is stopping', RETRY_SECONDS) : undefined);
    });
    fastify.addHook('preClose', (done) => {
      const look = setInterval(() => {
        fastify.server.closeAllConnections();
      }, POLL_MS);
      fastify.server.once('close', () => {
        clearInterval(look);
      });
      done();
    });
  }

  /** Waits for this work too, as for a running request. */
  hold(work: DetachedWork): void {
    this.detached.add(work);
    void work.ended.then(() => this.detached.delete(work));
  }

  /** Makes the readiness probe fail. Other requests are still served. */
  begin(): void {
    this.isStopping = true;
  }

  /** @param graceMs milliseconds after which running requests are aborted */
  async beforeApplicationShutdown(_signal?: string, graceMs = GRACE_MS): Promise<void> {
    this.isClosing = true;
    const deadline = Date.now() + graceMs;
    const left = (): number => this.running.size + this.detached.size;
    while (left() > 0 && Date.now() < deadline) await delay(POLL_MS);
    if (left() === 0) return;
    this.fastify?.log.warn(`aborted ${left()} requests that did not finish in time`);
    const ends = [...this.detached].map((work) => {
      work.abort();
      return work.ended;
    });
    await Promise.race([Promise.all(ends), delay(LAST_WORDS_MS, undefined, { ref: false })]);
  }
}
