import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { printJson } from '../json/exact-json.js';
import { describeError } from './describe-error.js';
import { countAsStream } from './request-observation.js';
import { ClientGone, signalOf } from './request-signal.js';

/** Interval of comment lines, in milliseconds. The comment lines keep an idle connection open. */
const HEARTBEAT_MS = 15_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** An event whose `data:` is one line of plain text instead of JSON, such as `[DONE]` of the OpenAI protocol. */
export class TextEvent {
  constructor(readonly text: string) {}
}

/** An event with an `event:` name. */
export class NamedEvent {
  constructor(
    readonly name: string,
    readonly data: object,
  ) {}
}

/** An event with an id of its own, from which a client may go on. */
export class IdentifiedEvent {
  constructor(
    readonly id: string,
    readonly data: object,
  ) {}
}

/**
 * Sends events as `text/event-stream`. Each event has one `data:` line of JSON, and an `id:` that counts from 0.
 * Headers are sent with the first event. A failure before the first event is thrown to the caller and becomes an
 * ordinary HTTP error. A later failure becomes a last event `{"type":"error","detail","status"}`. If the client reads
 * slowly, the source is also read slowly (backpressure). When the client disconnects, the source's `return` is called.
 * The caller may set headers on `reply`, such as `Server-Timing`, until the first event.
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
    response.write(printed(id, { type: 'error', detail, status }));
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
  if (response.write(printed(id, event))) return;
  try {
    await once(response, 'drain', { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** The events as they arrive. */
export function printedEvents(events: readonly object[]): string {
  return events.map((event, id) => printed(id, event)).join('');
}

function printed(id: number, event: object): string {
  const isNamed = event instanceof NamedEvent;
  const isIdentified = event instanceof IdentifiedEvent;
  const data =
    event instanceof TextEvent ? event.text : printJson(isNamed || isIdentified ? event.data : event);
  const name = isNamed ? `event: ${event.name}\n` : '';
  return `id: ${isIdentified ? event.id : id}\n${name}data: ${data}\n\n`;
}
