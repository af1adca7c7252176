import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../auth/auth.guard.js';
import { currentTimings, currentUsage, runInRequest, type Usage } from '../request/request-context.js';
import { rulesOf } from './routes.js';

const signals = new WeakMap<FastifyReply, AbortSignal>();
const usages = new WeakMap<FastifyRequest, Usage>();

/** What a request may do that changes nothing but the chat of a completion, which is stored last of all. */
const READING: readonly (Access | undefined)[] = ['read', 'query'];

/**
 * Runs the handler of every request in a context of its own. One that reads is stopped when its client goes away; one
 * that changes something is carried through.
 *
 * The hook is the last before the handler: what comes after the reading of a body runs in the context of the connection.
 */
export function installRequestContext(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', (request, reply, done) => {
    runInRequest(onlyReads(request) ? signalOf(reply) : undefined, () => {
      const usage = currentUsage();
      if (usage !== undefined) usages.set(request, usage);
      done();
    });
  });
}

export function tokensOf(request: FastifyRequest): number {
  return usages.get(request)?.tokens ?? 0;
}

/** Whether every permission that opens the route of a request is one to read. */
export function onlyReads(request: FastifyRequest): boolean {
  return [rulesOf(request)?.access].flat().every((access) => READING.includes(access));
}

/** Aborted when the client goes away before its answer is complete; what is done for it then can stop. */
export function signalOf(reply: FastifyReply): AbortSignal {
  const known = signals.get(reply);
  if (known !== undefined) return known;
  const controller = new AbortController();
  signals.set(reply, controller.signal);
  const response = reply.raw;
  const onClose = () => {
    if (!response.writableFinished) controller.abort(new ClientGone());
  };
  if (response.destroyed) onClose();
  else response.once('close', onClose);
  return controller.signal;
}

/** The reason of the signal. Nobody is left to be answered, so it becomes no HTTP answer. */
export class ClientGone extends Error {
  constructor() {
    super('The client went away');
    this.name = 'ClientGone';
  }
}

/**
 * Sets `Server-Timing` from the milliseconds of the steps that ran so far, in their order, and `total`: the time from
 * the arrival of the request until now.
 * @param plan the path that a search took and what it counted, if the caller asked for it
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
