import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ExpiredToken } from '../../auth/expired-token.js';
import { Conflict, type LecternError, TooManyRequests, Unavailable } from '../../errors/index.js';
import { runUntil } from '../../request/request-context.js';
import { tenantLabel, tenantTokens } from '../../telemetry/tenants.js';
import { describeError } from '../describe-error.js';
import { Draining } from '../draining.js';
import { EndingKeys } from '../ending-keys.js';
import { PrintedEvent, printedEvent } from '../event-text.js';
import { tokensOf } from '../request-signal.js';
import { ResumableStream, Stopped } from './resumable-stream.js';

/** Running streams of one caller, of a tenant, and of the process. */
export const RUNNING = { caller: 20, tenant: 500, process: 1_000 } as const;
const RETRY_SECONDS = 5;

/** Memory for the events of a stream, and of all streams, in bytes. */
export const KEPT_BYTES = { stream: 4 * 1_024 ** 2, all: 64 * 1_024 ** 2 } as const;

/** Milliseconds for which the events are kept after the end. */
const KEPT_MS = 60_000;

export interface StreamRequest<About extends object> {
  readonly appId: string;
  /** Names who may follow and stop the stream: nobody else learns that it exists. */
  readonly owner: string;
  /** Chosen by the client; unique for the owner. */
  readonly id: string;
  /** Hash of the request, which must be the same for the same id. */
  readonly content: Buffer;
  readonly about: About;
}

/**
 * Streams that go on when their connection ends, in the memory of this process. They end with their key, but not with a
 * token that expires, and a stopping service waits for them as for requests. Their events are kept until a minute after the
 * end, as far as memory allows.
 */
@Injectable()
export class ResumableStreams {
  private readonly streams = new Map<string, ResumableStream>();
  private keptBytes = 0;

  constructor(
    private readonly endingKeys: EndingKeys,
    private readonly draining: Draining,
  ) {}

  /**
   * Begins a stream, or returns the one that the owner has begun with the same id.
   *
   * @param source is read to its end, in the context of the request but not until the end of its connection
   * @throws Conflict for an id of another request; TooManyRequests for too many running streams
   */
  begin<About extends object>(
    wanted: StreamRequest<About>,
    request: FastifyRequest,
    reply: FastifyReply,
    source: () => AsyncIterable<object>,
  ): ResumableStream {
    const { appId, owner, id, content, about } = wanted;
    const known = this.find(owner, id);
    if (known !== undefined) {
      if (known.content.equals(content)) return known;
      throw new Conflict('This answer_id was used for another question', undefined, { param: 'answer_id' });
    }
    this.requireRoom(appId, owner);
    const stream = new ResumableStream<About>(appId, owner, id, content, about);
    this.streams.set(keyOf(owner, id), stream);
    const leave = this.endingKeys.watch(request, (reason) => {
      // Those who asked follow with another token; without one nobody reads the events.
      if (!(reason instanceof ExpiredToken)) stream.abort(reason);
    });
    this.draining.hold({
      ended: stream.ended,
      abort: () => {
        stream.abort(new Unavailable('The service is stopping', RETRY_SECONDS));
      },
    });
    void runUntil(stream.signal, () => this.run(stream, request, source)).finally(leave);
    countLaterTokens(stream, request, reply);
    return stream;
  }

  find(owner: string, id: string): ResumableStream | undefined {
    return this.streams.get(keyOf(owner, id));
  }

  /** The running streams of an owner, oldest first. */
  running(owner: string): ResumableStream[] {
    return [...this.streams.values()].filter((stream) => !stream.isEnded && stream.owner === owner);
  }

  /** Ends a stream early, and waits until its source has stored what it has. */
  async stop(stream: ResumableStream): Promise<void> {
    stream.abort(new Stopped());
    await stream.ended;
  }

  private async run(
    stream: ResumableStream,
    request: FastifyRequest,
    source: () => AsyncIterable<object>,
  ): Promise<void> {
    let failure: Error | undefined;
    try {
      for await (const event of source()) this.keep(stream, event);
    } catch (error) {
      const { aborted, reason } = stream.signal as { aborted: boolean; reason: unknown };
      failure = errorOf(aborted && !(reason instanceof Stopped) ? reason : error);
    }
    const isSilent = stream.kept.next === 0;
    if (failure !== undefined && !(isSilent && stream.isFollowed)) {
      const { status, detail } = describeError(failure, request.id);
      if (status >= 500) request.log.error({ err: failure }, 'stream failed');
      if (!isSilent) this.keep(stream, { type: 'error', detail, status });
    }
    stream.end(isSilent ? failure : undefined);
    if (isSilent)
      this.forget(stream); // nothing has happened: a repeated request begins anew
    else {
      setTimeout(() => {
        this.forget(stream);
      }, KEPT_MS).unref();
    }
  }

  private keep(stream: ResumableStream, event: object): void {
    const { kept } = stream;
    const before = kept.bytes;
    const printed = new PrintedEvent(printedEvent(kept.next, event));
    stream.add(printed);
    kept.shrink(KEPT_BYTES.stream);
    this.keptBytes += kept.bytes - before;
    if (this.keptBytes > KEPT_BYTES.all) this.makeRoom(stream);
  }

  /** Forgets ended streams, the oldest first, and then the oldest events of the stream that needs room. */
  private makeRoom(needing: ResumableStream): void {
    for (const stream of this.streams.values()) {
      if (this.keptBytes <= KEPT_BYTES.all) return;
      if (stream.isEnded) this.forget(stream);
    }
    const before = needing.kept.bytes;
    needing.kept.shrink(Math.max(0, before - (this.keptBytes - KEPT_BYTES.all)));
    this.keptBytes += needing.kept.bytes - before;
  }

  private forget(stream: ResumableStream): void {
    if (this.streams.delete(keyOf(stream.owner, stream.id))) this.keptBytes -= stream.kept.bytes;
  }

  private requireRoom(appId: string, owner: string): void {
    const running = [...this.streams.values()].filter(({ isEnded }) => !isEnded);
    const ofTenant = running.filter((stream) => stream.appId === appId);
    const ofCaller = ofTenant.filter((stream) => stream.owner === owner);
    if (ofCaller.length >= RUNNING.caller)
      throw tooMany(`More than ${RUNNING.caller} answers are being written`);
    if (ofTenant.length >= RUNNING.tenant || running.length >= RUNNING.process)
      throw tooMany('Too many answers are being written');
  }
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

function tooMany(sentence: string): LecternError {
  return new TooManyRequests(sentence, RETRY_SECONDS);
}

function keyOf(owner: string, id: string): string {
  return JSON.stringify([owner, id]);
}

/** Counts the tokens that are used after the response has ended, because the response counts its own. */
function countLaterTokens(stream: ResumableStream, request: FastifyRequest, reply: FastifyReply): void {
  let counted: number | null = null;
  reply.raw.once('close', () => {
    counted = tokensOf(request);
  });
  void stream.ended.then(() => {
    if (counted !== null) {
      tenantTokens.inc({ tenant: tenantLabel(stream.appId) }, tokensOf(request) - counted);
    }
  });
}
