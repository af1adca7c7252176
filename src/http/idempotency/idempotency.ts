import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../auth/scope.js';
import { Conflict, Invalid, NotFound } from '../../errors/index.js';
import { isJsonObject } from '../../json/exact-json.js';
import { isProtocolPath } from '../protocol-path.js';
import { onlyReads } from '../request-signal.js';
import { rulesOf } from '../routes.js';
import { KeptAnswers, requestHash, type Claim } from './kept-answers.repository.js';

/** 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** Largest answer that is kept, in bytes. */
const MOST_BYTES = 256 * 1_024;

/** Ids of documents, and those in the ids of the OpenAI protocol. */
const IDS =
  /(?<![0-9a-f])([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})(?![0-9a-f])/gi;

/** Tells which documents exist, and which of them a caller may read. */
export abstract class DocumentSight {
  abstract existing(scope: Scope, ids: readonly string[]): Promise<readonly string[]>;
  abstract readable(scope: Scope, ids: readonly string[]): Promise<ReadonlySet<string>>;
}

/** What a repeated request gets. */
interface Kept {
  readonly statusCode: number;
  readonly body: string;
}

interface Keyed {
  readonly scope: Scope;
  readonly key: string;
  /** Set while the request runs. */
  claim?: Claim;
  /** Set if the request is a repetition. */
  kept?: Kept;
}

const keyed = new WeakMap<FastifyRequest, Keyed>();
const begins = new WeakMap<FastifyRequest, (content: unknown) => Promise<void>>();

/** Thrown in place of the work of a repeated form; the answer that is kept replaces the error. */
class Repeated extends Conflict {}

/** Whether the answer is that of an earlier request, so that this one has done nothing. */
export function isRepetition(request: FastifyRequest): boolean {
  return keyed.get(request)?.kept !== undefined;
}

/**
 * Begins the work of a form that the route reads itself. Does nothing for a request without an Idempotency-Key.
 * @param content the fields and files, without what changes with each sending
 */
export async function beginForm(request: FastifyRequest, content: unknown): Promise<void> {
  await begins.get(request)?.(content);
  if (isRepetition(request)) throw new Repeated('The request was carried out already');
}

/**
 * Keeps the answer of every write that has an `Idempotency-Key`, for its caller and person, and gives it to repetitions.
 * Failed requests are not kept. Which routes take a key follows from their rules (`idempotencyOf`).
 */
@Injectable()
export class Idempotency {
  constructor(
    private readonly answers: KeptAnswers,
    private readonly sight: DocumentSight,
  ) {}

  /** Must be called after the hooks that decide for whom a request acts. */
  install(fastify: FastifyInstance): void {
    fastify.addHook('preHandler', async (request, reply) => {
      if (!this.accept(request)) return undefined;
      const begin = (content: unknown): Promise<void> => this.begin(request, content);
      if (onlyReads(request)) {
        // A request that only reads is aborted with its connection.
        reply.raw.once('close', () => void this.release(request));
      }
      if (rulesOf(request)?.multipart === true) {
        begins.set(request, begin);
        return undefined;
      }
      await begin(request.body);
      const kept = keyed.get(request)?.kept;
      return kept === undefined ? undefined : send(reply, kept);
    });

    fastify.addHook('onSend', async (request, reply, payload) => {
      const state = keyed.get(request);
      if (state?.kept !== undefined) {
        void reply.status(state.kept.statusCode).header('idempotency-replayed', 'true');
        return state.kept.body;
      }
      if (state?.claim === undefined) return payload;
      if (reply.statusCode >= 400 || typeof payload !== 'string') await this.release(request);
      else await this.keep(request, state, reply.statusCode, payload);
      return payload;
    });
  }

  /** Whether the request has a key that counts. @throws Invalid for a key where it cannot count */
  private accept(request: FastifyRequest): boolean {
    const key = request.headers['idempotency-key'];
    const { scope } = request;
    const use = rulesOf(request)?.idempotency;
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD';
    if (typeof key !== 'string' || scope === null || !isWrite || use === undefined || use === 'none')
      return false;
    if (!IDEMPOTENCY_KEY.test(key)) refuse('a key is 1 to 255 visible ASCII characters without spaces');
    if (use === 'secret')
      refuse('the answer has a secret, which is not kept: send the request without this header');
    if (use === 'own') return false;
    if (isStream(request.body)) {
      // Clients of the protocol send the header unasked.
      if (isProtocolPath(request.routeOptions.url ?? '')) return false;
      refuse('a stream is not kept: send the request without this header, or without stream_response');
    }
    keyed.set(request, { scope, key: [...callerOf(scope), key].join('\n') });
    return true;
  }

  private async begin(request: FastifyRequest, content: unknown): Promise<void> {
    const state = keyed.get(request);
    if (state === undefined) return;
    const { method, url } = request;
    const hash = requestHash([method, url, content ?? null]);
    const found = await this.answers.claim(state.scope, state.key, hash);
    if ('until' in found) {
      state.claim = found;
      return;
    }
    const { isSame, isRunning, statusCode, body, documents } = found;
    if (!isSame) refuse('this key was used with another request');
    if (isRunning) throw new Conflict('The request with this Idempotency-Key is still running', 1);
    const readable = documents.length === 0 ? new Set() : await this.sight.readable(state.scope, documents);
    if (documents.some((id) => !readable.has(id))) throw new NotFound('Document not found');
    if (body === null) {
      throw new Conflict('The request was carried out already, and its answer is too large to be kept');
    }
    state.kept = { statusCode, body };
  }

  private async keep(
    request: FastifyRequest,
    state: Keyed,
    statusCode: number,
    payload: string,
  ): Promise<void> {
    const { claim, scope } = state;
    if (claim === undefined) return;
    delete state.claim;
    try {
      const ids = new Set(
        [...`${request.url}\n${payload}`.matchAll(IDS)].map((one) => one.slice(1).join('-')),
      );
      const body = Buffer.byteLength(payload) > MOST_BYTES ? null : payload;
      const documents = await this.sight.existing(
        scope,
        [...ids].map((id) => id.toLowerCase()),
      );
      await this.answers.keep(claim, statusCode, body, documents);
    } catch (error) {
      // The request was carried out: the caller gets its answer.
      request.log.error({ err: error }, 'cannot keep the answer for its Idempotency-Key');
    }
  }

  private async release(request: FastifyRequest): Promise<void> {
    const state = keyed.get(request);
    if (state?.claim === undefined) return;
    const { claim } = state;
    delete state.claim;
    try {
      await this.answers.release(claim);
    } catch (error) {
      request.log.error({ err: error }, 'cannot release an Idempotency-Key');
    }
  }
}

/** Names whose keys they are: a person has the same ones with the next token. */
function callerOf({ keyId, tokenId = '', endUserId }: Scope): string[] {
  return endUserId === null ? [keyId, tokenId, ''] : [keyId, tokenId && 'token', endUserId];
}

function refuse(sentence: string): never {
  throw Invalid.at(['header', 'idempotency-key'], `Value error, ${sentence}`);
}

function send(reply: FastifyReply, { statusCode, body }: Kept): FastifyReply {
  return reply.status(statusCode).type('application/json; charset=utf-8').send(body);
}

function isStream(body: unknown): boolean {
  return isJsonObject(body) && (body['stream'] === true || body['stream_response'] === true);
}
