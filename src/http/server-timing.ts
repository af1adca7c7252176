import type { FastifyReply } from 'fastify';
import { currentTimings } from '../request/request-context.js';

/**
 * Sets `Server-Timing` from the milliseconds of the steps that ran so far, in their order, and `total`: the time from
 * the arrival of the request until now.
 * @param plan the path that a search took and what it counted, to be told as well
 */
export function setServerTiming(
  reply: FastifyReply,
  plan?: { readonly path: string; readonly matchingChunks: number },
): void {
  const steps = Object.entries({ ...currentTimings(), total: reply.elapsedTime });
  const entries = steps.map(([name, milliseconds]) => `${name};dur=${milliseconds.toFixed(1)}`);
  if (plan !== undefined) entries.push(`plan;desc="${plan.path}, ${plan.matchingChunks} matching"`);
  void reply.header('server-timing', entries.join(', '));
}
