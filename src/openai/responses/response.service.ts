import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { touchesTalk } from '../../access/touches.js';
import type { Scope } from '../../auth/scope.js';
import type { CreationWindow, Position } from '../../corpus/vector-stores/creation-window.js';
import { relocated } from '../../errors/index.js';
import { describeError } from '../../http/describe-error.js';
import { openAiError } from '../../http/openai-error.js';
import { ClientGone } from '../../http/request-signal.js';
import type { NamedEvent } from '../../http/event-text.js';
import { AnsweringService } from '../../answering/answering.service.js';
import type { Answer, Evidence } from '../../answering/turn.js';
import { ConversationService } from '../conversations/conversation.service.js';
import { windowIn } from '../cursor-list.js';
import { knownUuid, notFound, uuidIn } from '../ids.js';
import { VectorStoreSearchService } from '../search/vector-store-search.service.js';
import { type Draft, DraftService } from './draft.service.js';
import type { Grounds, Item } from './items.js';
import { ResponseEvents } from './response-events.js';
import type { CreateResponseDto, ItemsQuery } from './response.dto.js';
import {
  concludedState,
  type FileSearch,
  outputOf,
  type ResponseObject,
  responseObject,
} from './response-object.js';
import { ResponseRepository } from './response.repository.js';

@Injectable()
export class ResponseService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly drafts: DraftService,
    private readonly answering: AnsweringService,
    private readonly stores: VectorStoreSearchService,
    private readonly responses: ResponseRepository,
    private readonly conversations: ConversationService,
  ) {}

  async create(scope: Scope, dto: CreateResponseDto): Promise<ResponseObject> {
    const draft = await this.drafts.prepare(scope, dto);
    const answer = await this.answering.complete(scope, draft.turn).catch((error: unknown) => {
      throw relocated(error, draft.placeOf);
    });
    const fileSearch = await this.fileSearchOf(scope, draft, answer.evidence);
    const state = concludedState(answer, outputOf(draft, fileSearch, answer));
    const response = responseObject(draft.stamp, dto, state);
    await this.store(scope, draft, response, groundsOf(fileSearch, answer, response));
    return response;
  }

  /**
   * Streams the response as events. An error before the first piece is thrown; a later error is sent as events.
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
    let fileSearch: FileSearch | null = null;
    let events: ResponseEvents | null = null;
    try {
      for await (const event of this.answering.stream(scope, draft.turn)) {
        if (event.type === 'prepared') {
          fileSearch = await this.fileSearchOf(scope, draft, event.evidence);
          continue;
        }
        if (events === null) {
          events = new ResponseEvents(draft, fileSearch);
          onBegin();
          yield* events.begin();
        }
        if (event.type === 'end') {
          const response = yield* events.end(event.answer);
          await this.store(scope, draft, response, groundsOf(fileSearch, event.answer, response));
          yield events.concluded(response);
        } else {
          yield* events.piece(event);
        }
      }
    } catch (error) {
      const relocatedError = relocated(error, draft.placeOf);
      if (events === null || error instanceof ClientGone) throw relocatedError;
      const description = describeError(relocatedError, request.id);
      if (description.status >= 500) request.log.error({ err: error }, 'stream failed');
      yield* events.failed(openAiError(description));
    }
  }

  /** @throws NotFound */
  async get(scope: Scope, id: string, endUserId: string | null): Promise<ResponseObject> {
    const response = await this.responses.find(scope, { id: knownUuid('response', id), endUserId });
    if (response === null) throw notFound('response', id);
    touchesTalk(scope, id, endUserId);
    return response;
  }

  /** @throws NotFound */
  async delete(scope: Scope, id: string, endUserId: string | null): Promise<void> {
    const existed = await this.responses.delete(scope, { id: knownUuid('response', id), endUserId });
    if (!existed) throw notFound('response', id);
    touchesTalk(scope, id, endUserId);
  }

  /** A page of the items of the input. @throws NotFound; Invalid for an unknown cursor. */
  async inputItems(
    scope: Scope,
    id: string,
    query: ItemsQuery,
  ): Promise<{ readonly items: Item[]; readonly hasMore: boolean }> {
    const { end_user_id: endUserId } = query;
    const input = await this.responses.input(scope, { id: knownUuid('response', id), endUserId });
    if (input === null) throw notFound('response', id);
    touchesTalk(scope, id, endUserId);
    const window = await windowIn(query, {
      present: (itemId) => {
        const at = input.findIndex((item) => item.id === itemId);
        return Promise.resolve(at === -1 ? null : { at, id: '' });
      },
      // The items of a response are copies, which are deleted with the response only.
      former: () => Promise.resolve(null),
    });
    return itemsIn(window, input);
  }

  /** The file search of a response; null if nothing was searched. */
  private async fileSearchOf(
    scope: Scope,
    { turn }: Draft,
    { searched, found }: Evidence,
  ): Promise<FileSearch | null> {
    if (turn.search === null) return null;
    return { query: searched, passages: await this.stores.passagesOf(scope, found) };
  }

  /**
   * Stores the response, and appends its items to its conversation.
   * @throws NotFound when the conversation was deleted meanwhile.
   */
  private async store(scope: Scope, draft: Draft, response: ResponseObject, grounds: Grounds): Promise<void> {
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
          grounds,
        });
      }
      if (conversation === null) return;
      const identity = { id: knownUuid('conversation', conversation), endUserId };
      const items = [...input, ...response.output];
      await this.conversations.append(manager, scope, identity, items, grounds);
    });
  }
}

function groundsOf(
  fileSearch: FileSearch | null,
  { quotations, evidence }: Answer,
  { output }: ResponseObject,
): Grounds {
  const passages = fileSearch?.passages ?? [];
  return {
    answer: new Set(output.map(({ id }) => id)),
    documents: new Map(passages.map(({ fileId, chunk }) => [fileId, chunk.documentId])),
    quotations,
    model: evidence.model,
  };
}

/** The items of a window. A position is the index of an item. */
function itemsIn(
  { limit, order, after, before }: CreationWindow,
  items: readonly Item[],
): { readonly items: Item[]; readonly hasMore: boolean } {
  const ordered = order === 'asc' ? items : items.toReversed();
  const indexOf = ({ at }: Position): number =>
    order === 'asc' ? Number(at) : items.length - 1 - Number(at);
  const start = after === null ? 0 : indexOf(after) + 1;
  const end = before === null ? ordered.length : indexOf(before);
  if (after === null && before !== null) {
    const from = Math.max(0, end - limit);
    return { items: ordered.slice(from, end), hasMore: from > 0 };
  }
  return { items: ordered.slice(start, Math.min(end, start + limit)), hasMore: start + limit < end };
}
