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

/** Body length from the request head; Infinity if unknown. */
export function announcedLength({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}

export function hasBody(request: IncomingMessage): boolean {
  return announcedLength(request) > 0;
}

/**
 * Limits bodies to MAX_QUERY_BODY_MB, or MAX_BODY_MB for routes that carry documents. Call it before any route is
 * registered.
 */
export function limitBodies(fastify: FastifyInstance, settings: Settings): void {
  fastify.addHook('onRoute', (route) => {
    const { carriesDocument = false } = (route.config ?? {}) as Partial<RouteRules>;
    route.bodyLimit = (carriesDocument ? settings.MAX_BODY_MB : settings.MAX_QUERY_BODY_MB) * MEGABYTE;
  });
}

/** Rejects a body of another encoding, charset or content type than the route expects with 415, before it is read. */
export function requireBodyTypes(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', async (request, reply) => {
    requirePlainEncoding(request, reply);
    requireContentType(request);
  });
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/** Bodies are not decompressed and are read as UTF-8. */
function requirePlainEncoding({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  if (!hasBody(raw)) return;
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) {
    void reply.header('accept-encoding', 'identity');
    throw new UnsupportedMediaType('The body must not have a Content-Encoding');
  }
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) throw new UnsupportedMediaType('The body must be UTF-8');
}

/** Only mixing up forms and JSON is a 415. Other content types are parsed as JSON and fail validation. */
function requireContentType(request: FastifyRequest): void {
  const rules = rulesOf(request);
  const given = request.headers['content-type'] ?? '';
  if (rules === undefined || isExpected(rules, given, hasBody(request.raw))) return;
  throw new UnsupportedMediaType(`The body must be ${expectedType(rules)}`);
}

const MULTIPART = /^multipart\/form-data\b/i;
const URL_ENCODED_TYPE = /^application\/x-www-form-urlencoded\b/i;

/** Malformed JSON is left to validation. */
function isExpected({ multipart, form }: RouteRules, type: string, body: boolean): boolean {
  if (form) return !body || MULTIPART.test(type) || URL_ENCODED_TYPE.test(type);
  return MULTIPART.test(type) === multipart && !URL_ENCODED_TYPE.test(type);
}

function expectedType({ multipart, form }: RouteRules): string {
  if (form) return `${URL_ENCODED} or multipart/form-data`;
  return multipart ? 'multipart/form-data' : 'application/json';
}

/** Minimum rate: 1 kB/s, averaged over a window because connections stall for moments. */
const WINDOW_MS = 15_000;
const MIN_BYTES = 15 * 1_024;

/**
 * Rejects bodies that arrive too slowly with 408 and closes the connection. The total time is unlimited: a large file
 * takes an hour on a slow connection. Bytes that the service has received but not read do not count against the client.
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

/** Longer bodies wait for a slot before they are read. */
export const LONG_BYTES = 1_024 * 1_024;

/** Long bodies in memory at once: in total, and per tenant, so that one tenant cannot occupy every slot. */
const MAX_LONG = 4;
const MAX_LONG_OF_TENANT = 2;

const WAIT_MS = 20_000;
const RETRY_SECONDS = 5;

/**
 * Bounds the memory of request bodies: a few long bodies are read at a time. A write keeps its slot until it is
 * answered. A query releases it once its body is read, because it may wait for a model.
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

/** A semaphore with a limit per tenant; first come, first served among tenants below their limit. */
export class FairSemaphore {
  private readonly all = pLimit(MAX_LONG);
  private readonly tenants = new Map<string, LimitFunction>();

  /**
   * @returns a function that releases the slot; further calls have no effect.
   * @throws Unavailable when no slot is free in time, or the caller has disconnected.
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

/** Maximum time for reading the rest of a rejected body. */
const READ_ON_MS = 1_000;

/**
 * Closes the connection after a response to a request with an unread body; otherwise the server would read for as long
 * as the client sends. It reads on for a moment behind the response: a client that is cut off while it writes fails
 * without seeing the response (RFC 9112, section 9.6).
 */
export function readOnBehindRefusals(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async ({ raw }, reply, payload) => {
    if (!hasBody(raw)) return payload;
    await setImmediate(); // a short body arrived with the head, and is parsed only now
    if (raw.complete) return payload;
    void reply.header('connection', 'close');
    if (typeof payload !== 'string') return payload;
    void reply.header('content-length', Buffer.byteLength(payload));
    return Readable.from(followedByRest(payload, raw));
  });
}

/** Content-Length is set, so the end of the stream may be delayed. */
async function* followedByRest(answer: string, body: IncomingMessage): AsyncGenerator<string> {
  yield answer;
  const ended = finished(body, { signal: AbortSignal.timeout(READ_ON_MS) });
  body.resume();
  // The outcome is irrelevant: the client has had its time.
  await ended.catch(() => undefined);
}
