import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { askerOf } from '../../access/talk.js';
import type { Scope } from '../../auth/scope.js';
import { Invalid, NotFound } from '../../errors/index.js';
import type { PrintedEvent } from '../../http/event-text.js';
import { requestHash } from '../../http/idempotency/kept-answers.repository.js';
import { signalOf } from '../../http/request-signal.js';
import type { ResumableStream } from '../../http/resumable/resumable-stream.js';
import { ResumableStreams } from '../../http/resumable/resumable-streams.js';
import type { QueryDto } from '../query.dto.js';
import type { StreamEvent } from '../query.types.js';

/** What a running answer answers. */
export interface AskedQuestion {
  readonly chatId: string | null;
  /** null: an image is the question. */
  readonly question: string | null;
  /** Position of the question that this one replaces in its chat; null: none. */
  readonly replaceFrom: number | null;
}

export type LastingAnswer = Pick<ResumableStream<AskedQuestion>, 'id' | 'about' | 'begunAt'>;

interface AnswerRequest {
  readonly scope: Scope;
  readonly body: QueryDto;
  readonly id: string;
}

/** Where a connection that follows an answer begins. */
interface Resumption {
  readonly endUserId: string | null;
  /** Id of the last event that the client has; null: none. */
  readonly lastEventId: string | null;
}

export const NO_ANSWER =
  'No answer with this id is kept in this process: it ended more than a minute ago, or another process writes it. Its chat has it when it has ended';

const LAST_EVENT_ID = ['header', 'Last-Event-ID'];

/** Streamed answers with an `answer_id`: they go on when their connection ends, and those who asked follow and stop them. */
@Injectable()
export class LastingAnswers {
  constructor(private readonly streams: ResumableStreams) {}

  /**
   * Begins an answer, or follows the one with this id from its beginning.
   * @throws Conflict for the id of another question; TooManyRequests; see `ResumableStreams`
   */
  begin(
    { scope, body, id }: AnswerRequest,
    request: FastifyRequest,
    reply: FastifyReply,
    answer: () => AsyncIterable<StreamEvent>,
  ): AsyncGenerator<PrintedEvent> {
    const about: AskedQuestion = {
      chatId: body.chat_id,
      question: body.query,
      replaceFrom: body.replace_from,
    };
    const { appId } = scope;
    const owner = askerOf(scope, body.end_user_id);
    const content = requestHash(request.body);
    const stream = this.streams.begin({ appId, owner, id, content, about }, request, reply, answer);
    return stream.follow(-1, LAST_EVENT_ID, signalOf(reply));
  }

  /** The running answers of those who ask, oldest first. @param chatId null: of all chats, and without one */
  running(scope: Scope, endUserId: string | null, chatId: string | null): LastingAnswer[] {
    const streams = this.streams.running(askerOf(scope, endUserId)) as ResumableStream<AskedQuestion>[];
    return streams.filter(({ about }) => chatId === null || about.chatId === chatId);
  }

  /** The events behind one that the client has. @throws NotFound; Invalid for a wrong event id; Gone */
  follow(
    scope: Scope,
    id: string,
    { endUserId, lastEventId }: Resumption,
    signal: AbortSignal,
  ): AsyncGenerator<PrintedEvent> {
    const stream = this.find(scope, id, endUserId);
    if (lastEventId !== null && !/^\d{1,9}$/.test(lastEventId))
      throw Invalid.at(LAST_EVENT_ID, 'Value error, not an event id');
    return stream.follow(lastEventId === null ? -1 : Number(lastEventId), LAST_EVENT_ID, signal);
  }

  /** Ends an answer early. Its chat then has the text so far. @throws NotFound */
  async stop(scope: Scope, id: string, endUserId: string | null): Promise<void> {
    await this.streams.stop(this.find(scope, id, endUserId));
  }

  private find(scope: Scope, id: string, endUserId: string | null): ResumableStream {
    const stream = this.streams.find(askerOf(scope, endUserId), id);
    if (stream === undefined) throw new NotFound(NO_ANSWER);
    return stream;
  }
}
