import type { FastifyReply } from 'fastify';
import { currentTimings } from '../request/request-context.js';

/**
 * Sets `Server-Timing` from the milliseconds of the steps that ran so far, in their order, and `total`: the time from
 * the arrival of the request until now.
 */
export function setServerTiming(reply: FastifyReply): void {
  const entries = Object.entries({ ...currentTimings(), total: reply.elapsedTime });
  void reply.header(
    'server-timing',
    entries.map(([name, milliseconds]) => `${name};dur=${milliseconds.toFixed(1)}`).join(', '),
  );
}
