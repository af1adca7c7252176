import { setMaxListeners } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../auth/auth.guard.js';
import { currentTimings, currentUsage, runInRequest, type Usage } from '../request/request-context.js';
import type { LecternError } from '../errors/index.js';
import { callerOf } from './fair-share.js';
import { rulesOf } from './routes.js';

/** Parts of a request that listen for its end at the same time, such as the calls of an MCP batch. */
const MAX_LISTENERS = 200;

const controllers = new WeakMap<FastifyReply, AbortController>();
const usages = new WeakMap<FastifyRequest, Usage>();

/**
 * Permissions of requests that only read. A completion in a chat counts as read-only, although it stores the chat at
 * the end.
 */
const READING: readonly (Access | undefined)[] = ['read', 'query'];

/**
 * Runs every handler in its own async context. A read-only request is aborted when its client disconnects. A write runs
 * to its end.
 *
 * Must be the last hook before the handler, because hooks that run after the body was read are in the async context of
 * the connection.
 */
export function installRequestContext(fastify: FastifyInstance): void {
  fastify.addHook('preHandler', (request, reply, done) => {
    const begin = (): void => {
      const usage = currentUsage();
      if (usage !== undefined) usages.set(request, usage);
      done();
    };
    const caller = request.scope === null ? undefined : callerOf(request.scope);
    runInRequest(onlyReads(request) ? signalOf(reply) : undefined, begin, caller);
  });
}

export function tokensOf(request: FastifyRequest): number {
  return usages.get(request)?.tokens ?? 0;
}

/** Whether all permissions of the request's route are read-only. */
export function onlyReads(request: FastifyRequest): boolean {
  return [rulesOf(request)?.access].flat().every((access) => READING.includes(access));
}

/** Returns a signal that aborts if the client disconnects, or its key ends, before the response is complete. */
export function signalOf(reply: FastifyReply): AbortSignal {
  return controllerOf(reply).signal;
}

/**
 * Stops the response before its end, because the caller's key ended.
 * @param reason becomes the response, or the last event of a stream
 */
export function endResponse(reply: FastifyReply, reason: LecternError): void {
  controllerOf(reply).abort(reason);
}

function controllerOf(reply: FastifyReply): AbortController {
  const known = controllers.get(reply);
  if (known !== undefined) return known;
  const controller = new AbortController();
  setMaxListeners(MAX_LISTENERS, controller.signal);
  controllers.set(reply, controller);
  const response = reply.raw;
  const onClose = () => {
    if (!response.writableFinished) controller.abort(new ClientGone());
  };
  if (response.destroyed) onClose();
  else response.once('close', onClose);
  return controller;
}

/** Abort reason of {@link signalOf}. It never becomes an HTTP response, because the client has disconnected. */
export class ClientGone extends Error {
  constructor() {
    super('The client disconnected');
    this.name = 'ClientGone';
  }
}

/**
 * Sets `Server-Timing`. The header contains the durations in milliseconds of the completed steps, in order, and
 * `total`, the time since the request arrived.
 *
 * @param plan search path and counts, if the caller asked for an explanation
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
