import type { FastifyReply } from 'fastify';

/**
 * Sets `Server-Timing` from the milliseconds of the steps that ran, in the order given, and `total`: the time from the
 * arrival of the request until now.
 */
export function setServerTiming(reply: FastifyReply, timings: Readonly<Record<string, number>>): void {
  const entries = Object.entries({ ...timings, total: reply.elapsedTime });
  void reply.header(
    'server-timing',
    entries.map(([name, milliseconds]) => `${name};dur=${milliseconds.toFixed(1)}`).join(', '),
  );
}
