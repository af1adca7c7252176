import type { ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** How long running requests may take to end once the server was told to close. */
const GRACE_MS = 20_000;
const LOOK_EVERY_MS = 100;

/**
 * Lets a closing server go as soon as no request is running. Fastify closes connections that idle between requests, but
 * one that never carried a request (browsers and load balancers open them ahead) would hold it up.
 */
export function installDraining(fastify: FastifyInstance, graceMs = GRACE_MS): void {
  const running = new Set<ServerResponse>();
  fastify.server.on('request', (_request, response) => {
    running.add(response);
    response.once('close', () => running.delete(response));
  });
  fastify.addHook('preClose', (done) => {
    const deadline = Date.now() + graceMs;
    const look = setInterval(() => {
      if (running.size > 0 && Date.now() < deadline) return;
      if (running.size > 0) fastify.log.warn(`cut off ${running.size} requests that did not end in time`);
      fastify.server.closeAllConnections();
    }, LOOK_EVERY_MS);
    fastify.server.once('close', () => {
      clearInterval(look);
    });
    done();
  });
}
