import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { describeError } from './describe-error.js';
import { PrintedEvent, printedEvent } from './event-text.js';
import { countAsStream } from './request-observation.js';
import { ClientGone, signalOf } from './request-signal.js';

/** Interval of comment lines, in milliseconds. The comment lines keep an idle connection open. */
const HEARTBEAT_MS = 15_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * Sends events as `text/event-stream`. Each event has one `data:` line of JSON, and an `id:` that counts from 0.
 * Headers are sent with the first event. A failure before the first event is thrown to the caller and becomes an
 * ordinary HTTP error. A later failure becomes a last event `{"type":"error","detail","status"}`. If the client reads
 * slowly, the source is also read slowly (backpressure). When the client disconnects, the source's `return` is called.
 * The caller may set headers on `reply`, such as `Server-Timing`, until the first event. Printed events have ids of their
 * own; an `error` of the connection has none then, so that a client goes on behind the last event.
 */
export async function sendEvents(
  request: FastifyRequest,
  reply: FastifyReply,
  events: AsyncIterable<object>,
  heartbeatMs = HEARTBEAT_MS,
): Promise<void> {
  const signal = signalOf(reply);
  const source = events[Symbol.asyncIterator]();
  let next = await source.next();
  if (isGone(signal)) {
    await source.return?.();
    if (signal.reason instanceof ClientGone) return;
    signal.throwIfAborted();
  }
  countAsStream(request, reply);
  const response = begin(reply);
  const heartbeat = setInterval(() => response.write(': keep-alive\n\n'), heartbeatMs);
  let id = 0;
  const isPrinted = next.done !== true && next.value instanceof PrintedEvent;
  try {
    while (next.done !== true) {
      await write(response, id++, next.value, signal);
      next = await source.next();
    }
  } catch (error) {
    await source.return?.();
    if (signal.reason instanceof ClientGone) return;
    // If the key ended, the event that could not be written is left out.
    const { status, detail } = describeError(isGone(signal) ? signal.reason : error, request.id);
    if (status >= 500) request.log.error({ err: error }, 'stream failed');
    response.write(printedEvent(isPrinted ? null : id, { type: 'error', detail, status }));
  } finally {
    clearInterval(heartbeat);
    response.end();
  }
}

/** Reads `aborted` in a function, because TypeScript would otherwise assume that it does not change. */
function isGone(signal: AbortSignal): boolean {
  return signal.aborted;
}

function begin(reply: FastifyReply): ServerResponse {
  reply.hijack();
  const headers = Object.fromEntries(
    Object.entries({ ...reply.getHeaders(), ...HEADERS }).filter(([, value]) => value !== undefined),
  );
  reply.raw.writeHead(200, headers as Record<string, string | string[] | number>);
  return reply.raw;
}

/** @throws ClientGone, or the error of a key that ended */
async function write(
  response: ServerResponse,
  id: number,
  event: object,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  if (response.write(printedEvent(id, event))) return;
  try {
    await once(response, 'drain', { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
