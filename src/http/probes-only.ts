import type { FastifyInstance } from 'fastify';
import { NotFound } from '../errors/index.js';

/** What supervisors and Prometheus ask for. */
const PROBES = new Set(['/ping', '/health', '/health/live', '/health/ready', '/metrics']);

/**
 * A worker answers probes and gives its measures; every other route of the service is unknown to it. Call it before any
 * route is registered.
 */
export function answerProbesOnly(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ routeOptions: { url } }, _reply, done) => {
    const isProbe = url !== undefined && PROBES.has(url);
    done(isProbe ? undefined : new NotFound('This process is a worker (WORKER=only): it has no API'));
  });
}
