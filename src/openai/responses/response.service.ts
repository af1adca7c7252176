import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { relocated } from '../../errors/index.js';
import { describeError } from '../../http/describe-error.js';
import { openAiError } from '../../http/openai-error.js';
import { ClientGone } from '../../http/request-signal.js';
import type { NamedEvent } from '../../http/sse.js';
import { AnsweringService, type Answer, type AnswerEvent } from '../../answering/answering.service.js';
import { addTiming, addTokens, throwIfAborted, timed } from '../../request/request-context.js';
import { ConversationService } from '../conversations/conversation.service.js';
import { knownUuid, notFound, unknownCursor, uuidIn } from '../ids.js';
import {
  callsOf,
  citationsOf,
  concludedState,
  conclusionOf,
  hasMessage,
  messageItem,
  OutputBuilder,
  textOf,
} from './answer.js';
import { type Draft, DraftService } from './draft.service.js';
import type { Item, OutputItem } from './items.js';
import { ResponseEvents } from './response-events.js';
import type { CreateResponseDto, ItemsQuery } from './response.dto.js';
import { type ResponseObject, responseObject } from './response-object.js';
import { ResponseRepository } from './response.repository.js';

/** Creates responses and stores them. */
@Injectable()
export class ResponseService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly drafts: DraftService,
    private readonly answering: AnsweringService,
    private readonly responses: ResponseRepository,
    private readonly conversations: ConversationService,
  ) {}

  async create(scope: Scope, dto: CreateResponseDto): Promise<ResponseObject> {
    const draft = await this.drafts.prepare(scope, dto);
    const answer = await this.blaming(draft, () =>
      timed('llm', () => this.answering.complete(draft.prompted)),
    );
    const state = concludedState(draft, answer, outputOf(draft, answer));
    const response = responseObject(draft.stamp, dto, state);
    await this.conclude(scope, draft, response);
    return response;
  }

  /**
   * Streams the response as events. An error before the first delta is thrown; a later error is sent as events.
   *
   * @param onBegin called before the first event
   */
  async *stream(
    scope: Scope,
    dto: CreateResponseDto,
    request: FastifyRequest,
    onBegin: () => void,
  ): AsyncGenerator<NamedEvent> {
    const draft = await this.drafts.prepare(scope, dto);
    const asked = performance.now();
    const pieces = this.answering.stream(draft.prompted);
    try {
      let next = await this.blaming(draft, () => pieces.next());
      onBegin();
      const events = new ResponseEvents(draft);
      try {
        yield* events.begin();
        for (; next.done !== true; next = await this.blaming(draft, () => pieces.next())) {
          const piece: AnswerEvent = next.value;
          if (piece.type !== 'end') {
            yield* events.piece(piece);
            continue;
          }
          addTiming('llm', performance.now() - asked);
          const response = yield* events.end(piece.answer);
          await this.conclude(scope, draft, response);
          yield events.concluded(response);
        }
      } catch (error) {
        if (error instanceof ClientGone) throw error;
        const description = describeError(error, request.id);
        if (description.status >= 500) request.log.error({ err: error }, 'stream failed');
        yield* events.failed(openAiError(description));
      }
    } finally {
      await pieces.return(undefined);
    }
  }

  /** @throws NotFound */
  async get(scope: Scope, id: string, endUserId: string | null): Promise<ResponseObject> {
    const response = await this.responses.find(scope, { id: knownUuid('response', id), endUserId });
    if (response === null) throw notFound('response', id);
    return response;
  }

  /** @throws NotFound */
  async delete(scope: Scope, id: string, endUserId: string | null): Promise<void> {
    const existed = await this.responses.delete(scope, { id: knownUuid('response', id), endUserId });
    if (!existed) throw notFound('response', id);
  }

  /** A page of the items of the input. @throws NotFound; Invalid for an unknown cursor. */
  async inputItems(
    scope: Scope,
    id: string,
    { limit, order, after, before, end_user_id: endUserId }: ItemsQuery,
  ): Promise<{ readonly items: Item[]; readonly hasMore: boolean }> {
    const input = await this.responses.input(scope, { id: knownUuid('response', id), endUserId });
    if (input === null) throw notFound('response', id);
    const ordered = order === 'asc' ? input : input.toReversed();
    const start = after === null ? 0 : positionOf(ordered, after, 'after') + 1;
    const end = before === null ? ordered.length : positionOf(ordered, before, 'before');
    const from = after === null && before !== null ? Math.max(0, end - limit) : start;
    const items = ordered.slice(from, Math.min(end, from + limit));
    const hasMore = after === null && before !== null ? from > 0 : from + limit < end;
    return { items, hasMore };
  }

  /** Runs a step, and maps the locations in its errors to locations in this request. */
  private async blaming<T>({ placeOf }: Pick<Draft, 'placeOf'>, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw relocated(error, placeOf);
    }
  }

  /**
   * Stores the response, and appends its items to its conversation, unless the client has disconnected.
   * @throws NotFound when the conversation was deleted meanwhile.
   */
  private async conclude(scope: Scope, draft: Draft, response: ResponseObject): Promise<void> {
    throwIfAborted();
    addTokens(response.usage?.total_tokens ?? 0);
    const { dto, stamp, input } = draft;
    const { conversation, previous_response_id: previousId, end_user_id: endUserId } = dto;
    if (!dto.isStored && conversation === null) return;
    await this.dataSource.transaction(async (manager) => {
      if (dto.isStored) {
        await this.responses.insert(manager, scope, {
          id: stamp.id,
          endUserId,
          previousId: previousId === null ? null : (uuidIn('response', previousId) ?? null),
          input,
          response,
        });
      }
      if (conversation === null) return;
      const identity = { id: knownUuid('conversation', conversation), endUserId };
      await this.conversations.append(manager, scope, identity, [...input, ...response.output]);
    });
  }
}

function positionOf(items: readonly Item[], id: string, name: string): number {
  const at = items.findIndex((item) => item.id === id);
  if (at === -1) throw unknownCursor(['query', name], id);
  return at;
}

/** The items of an answer: the file search, the message, the calls. */
function outputOf(draft: Draft, answer: Answer): OutputItem[] {
  const builder = new OutputBuilder(draft);
  const { status } = conclusionOf(answer);
  const search = builder.fileSearchCall();
  const output: OutputItem[] = search === null ? [] : [search];
  if (hasMessage(answer)) {
    output.push(messageItem(builder.messageId(), status, textOf(answer), citationsOf(draft, answer)));
  }
  for (const { id, name, arguments: given } of callsOf(answer)) {
    output.push({ ...builder.functionCall(id, name), arguments: given, status });
  }
  return output;
}
