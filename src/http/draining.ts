import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { Unavailable } from '../errors/index.js';

/** How long running requests may take to end once the server begins to close. */
const GRACE_MS = 20_000;
const LOOK_EVERY_MS = 100;

/** When who is refused may try again, at another process or the next one. */
const RETRY_SECONDS = 5;

const READINESS = '/health/ready';

/**
 * How a server stops: it is no longer ready (`begin`), then it refuses new requests until the running ones have ended,
 * with its port open, so that a load balancer learns it by an answer; then the port closes at once. Fastify closes
 * connections that idle between requests, but one that never carried a request (browsers and load balancers open them
 * ahead) would hold it up.
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
      }, LOOK_EVERY_MS);
      fastify.server.once('close', () => {
        clearInterval(look);
      });
      done();
    });
  }

  /** The readiness probe fails from now on; everything else is served. */
  begin(): void {
    this.isStopping = true;
  }

  /** @param graceMs after which requests that still run are cut off */
  async beforeApplicationShutdown(_signal?: string, graceMs = GRACE_MS): Promise<void> {
    this.isClosing = true;
    const deadline = Date.now() + graceMs;
    while (this.running.size > 0 && Date.now() < deadline) await delay(LOOK_EVERY_MS);
    if (this.running.size > 0)
      this.fastify?.log.warn(`cut off ${this.running.size} requests that did not end in time`);
  }
}
