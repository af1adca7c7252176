import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Settings } from '../config/settings.js';
import { Deadline, RequestTimeout, Unavailable, UnsupportedMediaType } from '../errors/index.js';
import { sendError } from './error.filter.js';
import { onlyReads } from './request-signal.js';
import { URL_ENCODED } from './forms.js';
import type { RouteRules } from './route.decorator.js';
import { rulesOf } from './routes.js';

export const MEGABYTE = 1_024 * 1_024;

/** Returns the length of the body in bytes according to the request head, or Infinity if the head does not give it. */
export function announcedLength({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}

export function hasBody(request: IncomingMessage): boolean {
  return announcedLength(request) > 0;
}

/**
 * Limits bodies to MAX_QUERY_BODY_MB, or to MAX_BODY_MB on routes whose bodies contain documents. Must be called before
 * any route is registered.
 */
export function limitBodies(fastify: FastifyInstance, settings: Settings): void {
  fastify.addHook('onRoute', (route) => {
    const { carriesDocument = false } = (route.config ?? {}) as Partial<RouteRules>;
    route.bodyLimit = (carriesDocument ? settings.MAX_BODY_MB : settings.MAX_QUERY_BODY_MB) * MEGABYTE;
  });
}

/**
 * Rejects a body with 415 if the route does not accept its encoding, charset or content type. Rejects it before it is
 * read.
 */
export function requireBodyTypes(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', async (request, reply) => {
    requirePlainEncoding(request, reply);
    requireContentType(request);
  });
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/** Requires a body in UTF-8 without a Content-Encoding, because the service does not decompress bodies. */
function requirePlainEncoding({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  if (!hasBody(raw)) return;
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) {
    void reply.header('accept-encoding', 'identity');
    throw new UnsupportedMediaType('The body must not have a Content-Encoding');
  }
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) throw new UnsupportedMediaType('The body must be UTF-8');
}

/**
 * Rejects a form where the route expects JSON, and JSON where it expects a form. Other content types are left to the
 * parsers.
 */
function requireContentType(request: FastifyRequest): void {
  const rules = rulesOf(request);
  const given = request.headers['content-type'] ?? '';
  if (rules === undefined || isExpected(rules, given, hasBody(request.raw))) return;
  throw new UnsupportedMediaType(`The body must be ${expectedType(rules)}`);
}

const MULTIPART = /^multipart\/form-data\b/i;
const URL_ENCODED_TYPE = /^application\/x-www-form-urlencoded\b/i;

/**
 * Whether a content type is expected. A JSON route expects any type except those of forms; the parsers check the rest.
 */
function isExpected({ multipart, form }: RouteRules, type: string, body: boolean): boolean {
  if (form) return !body || MULTIPART.test(type) || URL_ENCODED_TYPE.test(type);
  return MULTIPART.test(type) === multipart && !URL_ENCODED_TYPE.test(type);
}

function expectedType({ multipart, form }: RouteRules): string {
  if (form) return `${URL_ENCODED} or multipart/form-data`;
  return multipart ? 'multipart/form-data' : 'application/json';
}

/**
 * Minimum rate of a body: 1 kB/s as an average over a window. The rate is an average because connections may stall for
 * a few seconds.
 */
const WINDOW_MS = 15_000;
const MIN_BYTES = 15 * 1_024;

/**
 * Rejects a body that arrives too slowly with 408, and closes the connection. The total time is not limited, because a
 * large file may take an hour on a slow connection. While bytes have arrived that the service has not read, the client
 * does not count as slow.
 */
export function refuseSlowBodies(fastify: FastifyInstance, windowMs = WINDOW_MS): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request.raw)) {
      watch(request.raw, windowMs, () => {
        void reply.header('connection', 'close');
        sendError(new RequestTimeout('The request body arrived too slowly'), request, reply);
      });
    }
    done();
  });
}

function watch(body: IncomingMessage, windowMs: number, refuse: () => void): void {
  const { socket } = body;
  let before = socket.bytesRead;
  const timer = setInterval(() => {
    const came = socket.bytesRead - before;
    before = socket.bytesRead;
    if (came >= MIN_BYTES || body.readableLength > 0) return;
    end();
    if (!body.complete) refuse();
  }, windowMs);
  const end = (): void => {
    clearInterval(timer);
  };
  body.once('end', end).once('close', end);
}

/** A body that has more bytes than this waits for a slot before it is read. */
export const LONG_BYTES = 1_024 * 1_024;

/**
 * Maximum number of long bodies that are in memory at once, first in total and then per tenant. The limit per tenant
 * prevents one tenant from occupying every slot.
 */
const MAX_LONG = 4;
const MAX_LONG_OF_TENANT = 2;

const WAIT_MS = 20_000;
const RETRY_SECONDS = 5;

/**
 * Limits the memory for request bodies by reading only a few long bodies at a time. A write keeps its slot until its
 * response is sent. A query releases its slot as soon as its body is read, because the query may then wait a long time
 * for a model.
 */
export function boundLongBodies(fastify: FastifyInstance): void {
  const semaphore = new FairSemaphore();
  const releases = new WeakMap<FastifyRequest, () => void>();
  const release = (request: FastifyRequest): void => releases.get(request)?.();

  fastify.addHook('preParsing', async (request, reply) => {
    const rules = rulesOf(request);
    if (rules?.carriesDocument !== true || announcedLength(request.raw) <= LONG_BYTES) return;
    const gone = new AbortController();
    reply.raw.once('close', () => {
      gone.abort();
      release(request);
    });
    releases.set(request, await semaphore.acquire(request.scope?.appId ?? '', gone.signal));
    if (gone.signal.aborted) release(request);
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    if (onlyReads(request)) release(request);
    done();
  });
}

/**
 * A semaphore with a total limit and a limit per tenant. Among requests of tenants below their limit, slots are given
 * in order of arrival.
 */
export class FairSemaphore {
  private readonly all = pLimit(MAX_LONG);
  private readonly tenants = new Map<string, LimitFunction>();

  /**
   * Waits for a slot.
   * @returns a function that releases the slot; further calls of this function have no effect.
   * @throws Unavailable if no slot becomes free in time, or the caller has disconnected.
   */
  acquire(tenant: string, gone: AbortSignal, waitMs = WAIT_MS): Promise<() => void> {
    const own = this.tenants.get(tenant) ?? pLimit(MAX_LONG_OF_TENANT);
    this.tenants.set(tenant, own);
    const wait = new Deadline(waitMs, gone, 'no slot was free in time');
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        wait.end();
        reject(new Unavailable('Too many large requests are being read', RETRY_SECONDS));
      };
      if (wait.signal.aborted) refuse();
      else wait.signal.addEventListener('abort', refuse);
      const held = async (): Promise<void> => {
        if (wait.signal.aborted) return;
        wait.end();
        await new Promise<void>((release) => {
          resolve(release);
        });
      };
      void own(() => this.all(held)).then(() => {
        if (own.activeCount + own.pendingCount === 0) this.tenants.delete(tenant);
      });
    });
  }
}

/** Maximum time for reading the rest of a rejected body, in milliseconds. */
const READ_ON_MS = 1_000;

/**
 * Closes the connection after the response if the request body has not been read. Without this, the server would read
 * for as long as the client sends. After the response, the server first continues to read for a moment: if a connection
 * is closed while the client sends, the client fails without seeing the response (RFC 9112, section 9.6).
 */
export function readOnBehindRefusals(fastify: FastifyInstance, readOnMs = READ_ON_MS): void {
  fastify.addHook('onSend', async ({ raw }, reply, payload) => {
    if (!hasBody(raw)) return payload;
    await setImmediate(); // lets Node parse a short body that arrived together with the head
    if (raw.complete) return payload;
    void reply.header('connection', 'close');
    if (typeof payload !== 'string') return payload;
    void reply.header('content-length', Buffer.byteLength(payload));
    return Readable.from(followedByRest(payload, raw, readOnMs));
  });
}

/**
 * Yields the response, then discards the rest of the request body. Because Content-Length is set, the client sees the
 * end of the response before the stream ends.
 */
async function* followedByRest(
  answer: string,
  body: IncomingMessage,
  readOnMs: number,
): AsyncGenerator<string> {
  yield answer;
  const ended = finished(body, { signal: AbortSignal.timeout(readOnMs) });
  body.resume();
  // A timeout or an error is ignored: the connection is closed in any case.
  await ended.catch(() => undefined);
}
