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

/** Bytes of the body that the head of a request announces; a body of unknown length counts as endless. */
export function announcedLength({ headers }: IncomingMessage): number {
  return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Infinity;
}

export function hasBody(request: IncomingMessage): boolean {
  return announcedLength(request) > 0;
}

/** Every route takes MAX_QUERY_BODY_MB unless it declares that it carries documents. Call it before any is registered. */
export function limitBodies(fastify: FastifyInstance, settings: Settings): void {
  fastify.addHook('onRoute', (route) => {
    const { carriesDocument = false } = (route.config ?? {}) as Partial<RouteRules>;
    route.bodyLimit = (carriesDocument ? settings.MAX_BODY_MB : settings.MAX_QUERY_BODY_MB) * MEGABYTE;
  });
}

/** Refuses a body in another encoding, character set or type than its route takes with 415, before it is read. */
export function requireBodyTypes(fastify: FastifyInstance): void {
  fastify.addHook('preParsing', async (request, reply) => {
    requirePlainEncoding(request, reply);
    requireContentType(request);
  });
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

/** A body is read as it is sent, and as UTF-8: what is compressed or in another character set would be misread. */
function requirePlainEncoding({ raw, headers }: FastifyRequest, reply: FastifyReply): void {
  if (!hasBody(raw)) return;
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? '')) {
    void reply.header('accept-encoding', 'identity');
    throw new UnsupportedMediaType('The body must not have a Content-Encoding');
  }
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) throw new UnsupportedMediaType('The body has to be in UTF-8');
}

/** A file where JSON is expected, or the other way round, is 415; no JSON at all is the validation's affair. */
function requireContentType(request: FastifyRequest): void {
  const rules = rulesOf(request);
  const given = request.headers['content-type'] ?? '';
  if (rules === undefined || isExpected(rules, given, hasBody(request.raw))) return;
  throw new UnsupportedMediaType(`The body has to be ${expectedType(rules)}`);
}

const MULTIPART = /^multipart\/form-data\b/i;
const URL_ENCODED_TYPE = /^application\/x-www-form-urlencoded\b/i;

/** JSON that is none is for the validation to refuse. */
function isExpected({ multipart, form }: RouteRules, type: string, body: boolean): boolean {
  if (form) return !body || MULTIPART.test(type) || URL_ENCODED_TYPE.test(type);
  return MULTIPART.test(type) === multipart && !URL_ENCODED_TYPE.test(type);
}

function expectedType({ multipart, form }: RouteRules): string {
  if (form) return `${URL_ENCODED} or multipart/form-data`;
  return multipart ? 'multipart/form-data' : 'application/json';
}

/** A body has to come at a kilobyte a second at least, looked at over a while: lines stall for moments. */
const WINDOW_MS = 15_000;
const MIN_BYTES = 15 * 1_024;

/**
 * Refuses bodies that come too slowly with 408 and closes their connection. There is no limit on the whole time: a large
 * file takes an hour on a slow line. What waits here to be read is not the client's slowness.
 */
export function refuseSlowBodies(fastify: FastifyInstance, windowMs = WINDOW_MS): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    if (hasBody(request.raw)) {
      watch(request.raw, windowMs, () => {
        void reply.header('connection', 'close');
        sendError(new RequestTimeout('The request body came too slowly'), request, reply);
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

/** What is longer waits, unread, until few others are in memory. */
export const LONG_BYTES = 1_024 * 1_024;

/** How many long bodies are in memory at once, and how many of one tenant, so that none takes every place. */
const MAX_LONG = 4;
const MAX_LONG_OF_TENANT = 2;

const WAIT_MS = 20_000;
const RETRY_SECONDS = 5;

/**
 * Bounds what the bodies of all requests hold in memory: long ones are read a few at a time. A request that writes keeps
 * its place until it is answered; a question gives it up when it was read, since it may wait for a model.
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

/** A semaphore with a share for each tenant: first come, first served, counted from when the tenant has room. */
export class FairSemaphore {
  private readonly all = pLimit(MAX_LONG);
  private readonly tenants = new Map<string, LimitFunction>();

  /**
   * @returns what releases it; calling it again does nothing.
   * @throws Unavailable when none is free for too long, or the caller has gone.
   */
  acquire(tenant: string, gone: AbortSignal, waitMs = WAIT_MS): Promise<() => void> {
    const own = this.tenants.get(tenant) ?? pLimit(MAX_LONG_OF_TENANT);
    this.tenants.set(tenant, own);
    const wait = new Deadline(waitMs, gone, 'no place was free in time');
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

/** How long a body that is refused is read on. */
const READ_ON_MS = 1_000;

/**
 * An answer to a request whose body was not read is the last of its connection, or the server would read on for as long
 * as the client sends. For a moment it does, behind the answer: a client that is cut off while it writes fails without
 * having seen it (RFC 9112, section 9.6).
 */
export function readOnBehindRefusals(fastify: FastifyInstance): void {
  fastify.addHook('onSend', async ({ raw }, reply, payload) => {
    if (!hasBody(raw)) return payload;
    await setImmediate(); // a short body came with the head, and is taken for read only now
    if (raw.complete) return payload;
    void reply.header('connection', 'close');
    if (typeof payload !== 'string') return payload;
    void reply.header('content-length', Buffer.byteLength(payload));
    return Readable.from(followedByRest(payload, raw));
  });
}

/** The length of the answer is known, so that its end can wait. */
async function* followedByRest(answer: string, body: IncomingMessage): AsyncGenerator<string> {
  yield answer;
  const ended = finished(body, { signal: AbortSignal.timeout(READ_ON_MS) });
  body.resume();
  // Whether the client ended, went away or is slow: it has had its time.
  await ended.catch(() => undefined);
}
