import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Unavailable } from '../errors/index.js';

/** Time that running requests have after shutdown begins. */
const GRACE_MS = 20_000;
const POLL_MS = 100;

/** Retry-After of refused requests: another process may accept them. */
const RETRY_SECONDS = 5;

const READINESS = '/health/ready';

/**
 * Graceful shutdown. First the readiness probe fails (`begin`). Then new requests are refused with the port still open,
 * so that a load balancer gets a response, until running requests have finished. Then the port closes at once: Fastify
 * closes idle keep-alive connections, but a connection that never carried a request (browsers and load balancers open
 * them in advance) would delay the exit.
 */
@Injectable()
export class Draining implements BeforeApplicationShutdown {
  private readonly running = new Set<ServerResponse>();
  private isStopping = false;
  private isClosing = false;
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

  /** Makes the readiness probe fail; other requests are still served. */
  begin(): void {
    this.isStopping = true;
  }

  /** @param graceMs after which running requests are aborted */
  async beforeApplicationShutdown(_signal?: string, graceMs = GRACE_MS): Promise<void> {
    this.isClosing = true;
    const deadline = Date.now() + graceMs;
    while (this.running.size > 0 && Date.now() < deadline) await delay(POLL_MS);
    if (this.running.size > 0)
      this.fastify?.log.warn(`aborted ${this.running.size} requests that did not finish in time`);
  }
}
