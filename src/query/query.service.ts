import { Injectable } from '@nestjs/common';
import { actingEndUser } from '../access/principal.js';
import type { Scope } from '../auth/scope.js';
import { AnsweringService } from '../answering/answering.service.js';
import { fingerprintOf, sourceOf } from '../answering/citations/source.js';
import { MAX_TURNS } from '../answering/prompt/conversation.js';
import type { Answer, AnswerPiece, Evidence, Turn } from '../answering/turn.js';
import { type ChatIdentity, ChatRepository, type StoredPlace } from '../chats/chat.repository.js';
import { MAX_KEPT_SOURCES } from '../chats/evidence.js';
import { relocated } from '../errors/index.js';
import { type ChatMessage, messageText } from '../models/llm/language-model.js';
import { Stopped } from '../http/resumable/resumable-stream.js';
import { JoinedPieces } from '../models/llm/reasoning/reasoning-splitter.js';
import { currentSignal, currentTimings, throwIfAborted } from '../request/request-context.js';
import type { RetrievalPlan } from '../retrieval/retrieval.types.js';
import type { CompletionDto } from './query-response.dto.js';
import type { Completed, QueryRequest, StreamEvent } from './query.types.js';
import { Quotas } from '../quotas/quotas.service.js';
import { requireOwnTalk, talkerOf } from '../access/talk.js';

/** The text that is stored in a chat for an image question. */
const IMAGE_TURN = '[image]';

/** The door of POST /query: continues and stores chats, and gives answers the form of its response. */
@Injectable()
export class QueryService {
  constructor(
    private readonly answering: AnsweringService,
    private readonly chats: ChatRepository,
    private readonly quotas: Quotas,
  ) {}

  /**
   * Answers a question. If the caller disconnects, cancels model calls and stores nothing.
   *
   * @throws Forbidden if the end user of the request is not the end user of the key; the errors of the answer.
   */
  async complete(scope: Scope, request: QueryRequest): Promise<Completed> {
    try {
      const turn = await this.turnOf(scope, request);
      return await this.conclude(scope, request, await this.answering.complete(scope, turn));
    } catch (error) {
      throw relocated(error, request.placeOf);
    }
  }

  /**
   * Streams an answer as `assistant` deltas and a final `done`. Failures are thrown, before or after the first event.
   * If the caller disconnects or the stream of the model breaks off, stores the partial text. An answer that goes on
   * without its connection, and is stopped, ends with `stopped`.
   *
   * @param onPrepared called with the search plan before the first event
   */
  async *stream(
    scope: Scope,
    request: QueryRequest,
    onPrepared: (plan: RetrievalPlan | null) => void,
  ): AsyncGenerator<StreamEvent> {
    try {
      yield* this.events(scope, request, onPrepared);
    } catch (error) {
      throw relocated(error, request.placeOf);
    }
  }

  private async *events(
    scope: Scope,
    request: QueryRequest,
    onPrepared: (plan: RetrievalPlan | null) => void,
  ): AsyncGenerator<StreamEvent> {
    const partial = new PartialAnswer();
    try {
      for await (const event of this.answering.stream(scope, await this.turnOf(scope, request))) {
        throwIfAborted();
        if (event.type === 'prepared') {
          if (partial.evidence === null) onPrepared(event.evidence.plan);
          partial.evidence = event.evidence;
          if (request.streamsSources) yield { type: 'sources', sources: sourcesOf(event.evidence) };
        } else if (event.type === 'calls') {
          yield event;
        } else if (event.type === 'end') {
          partial.isSettled = true;
          const { completion, ...rest } = await this.conclude(scope, request, event.answer);
          // The deltas are the JSON text of an object, or contain reasoning that was recognised too late.
          const differs = completion !== partial.sent;
          yield { type: 'done', ...rest, ...(differs ? { completion } : {}) };
        } else {
          partial.add(event);
          if (event.type === 'delta') {
            yield {
              type: 'assistant',
              content: event.text,
              ...(event.refused === true ? { refused: true } : {}),
            };
          }
          if (event.type === 'reasoning' && request.streamsReasoning) {
            yield { type: 'reasoning', content: event.text };
          }
        }
      }
    } catch (error) {
      const place = await this.keepStopped(scope, request, partial);
      if (!(currentSignal()?.reason instanceof Stopped)) throw error;
      yield { type: 'stopped', ...placeInChat(place) };
    } finally {
      await this.keepStopped(scope, request, partial); // nobody reads the events any longer
    }
  }

  /** The turn with the stored conversation of its chat, unless the request has a conversation of its own. */
  private async turnOf(scope: Scope, { turn, chat, placeOf }: QueryRequest): Promise<Turn> {
    if (chat !== null) requireOwnTalk(scope, placeOf(['body', 'chat_id']));
    const { endUserId } = turn.search;
    actingEndUser(scope, endUserId, placeOf(['body', 'end_user_id']));
    if (chat === null || turn.history.length > 0) return turn;
    const identity = { chatId: chat.id, endUserId };
    await this.chats.requireState(scope, identity, chat);
    const turns = await this.chats.lastTurns(scope, identity, MAX_TURNS, chat.replaceFrom);
    // A chat is stored after its first answer: check before the model is paid.
    if (turns.length === 0) await this.chats.requireSameBound(scope, identity);
    if (turns.length === 0) await this.quotas.requireRoom(talkerOf(scope, endUserId), 'chats');
    return { ...turn, history: turns.map(({ role, content }): ChatMessage => ({ role, content })) };
  }

  /** Stores both turns and returns the response. Does not store an answer that consists of function calls. */
  private async conclude(scope: Scope, request: QueryRequest, answer: Answer): Promise<Completed> {
    const isText = answer.toolCalls === undefined || request.turn.calledAs !== null;
    const place = isText ? await this.store(scope, request, answer) : null;
    return completionResponse(answer, request, place);
  }

  /**
   * Stores the partial text if the caller disconnects or the stream of the model breaks off. Does not store a partial
   * answer for a schema, because it is not valid.
   * @returns null: it was not stored, or before this call
   */
  private async keepStopped(
    scope: Scope,
    request: QueryRequest,
    partial: PartialAnswer,
  ): Promise<StoredPlace | null> {
    const { text, passages, evidence, isSettled } = partial;
    if (isSettled || evidence === null || text === '' || request.turn.schema !== null) return null;
    partial.isSettled = true;
    return this.store(scope, request, { text, ...passages, evidence }, true);
  }

  /** Stores an exchange in its chat. @returns null without a chat */
  private async store(
    scope: Scope,
    { turn: { question, search }, chat, options }: QueryRequest,
    answer: Pick<Answer, 'text' | 'citations' | 'quotations' | 'evidence' | 'answered' | 'modelFailure'>,
    stopped = false,
  ): Promise<StoredPlace | null> {
    if (chat === null) return null;
    const identity: ChatIdentity = { chatId: chat.id, endUserId: search.endUserId };
    const { text, citations, quotations, evidence, answered, modelFailure } = answer;
    return this.chats.append(scope, identity, {
      question: question === null ? IMAGE_TURN : messageText({ content: question }),
      answer: text,
      evidence: {
        citations,
        sources: sourcesOf(evidence).slice(0, MAX_KEPT_SOURCES),
        source_fingerprints: evidence.passages.slice(0, MAX_KEPT_SOURCES).map(fingerprintOf),
        ...(quotations === undefined ? {} : { quotations }),
        searched: evidence.searched,
        model: evidence.model,
        ...(answered === undefined ? {} : { answered }),
        ...(modelFailure === undefined ? {} : { model_failure: modelFailure }),
      },
      stopped,
      search: options,
      replaceFrom: chat.replaceFrom,
    });
  }
}

/** The part of an answer that has been streamed. It is stored if the stream breaks off. */
class PartialAnswer {
  /** null: the answer is not prepared yet. */
  evidence: Evidence | null = null;
  /** The citations and quotations of the text. */
  passages: Pick<Answer, 'citations' | 'quotations'> = { citations: [] };
  /** All deltas sent, also those that turned out to be reasoning. */
  sent = '';
  /** Whether the model has finished the answer, or its beginning was stored. */
  isSettled = false;
  private readonly pieces = new JoinedPieces();

  /** The text of the answer, without reasoning. */
  get text(): string {
    return this.pieces.text;
  }

  add(piece: Exclude<AnswerPiece, { type: 'calls' }>): void {
    this.pieces.add(piece);
    if (piece.type === 'retraction') this.passages = { citations: [] };
    if (piece.type !== 'delta') return;
    const { text, citations, quotations } = piece;
    this.sent += text;
    this.passages = quotations === undefined ? { citations } : { citations, quotations };
  }
}

function sourcesOf({ passages }: Evidence): CompletionDto['sources'] {
  return passages.map(sourceOf);
}

function placeInChat(place: StoredPlace | null): { message_index?: number; chat_revision?: number } {
  return place === null ? {} : { message_index: place.position, chat_revision: place.revision };
}

/** @param place where the answer was stored; null: it was not stored */
function completionResponse(
  answer: Answer,
  { turn, showsPlan }: QueryRequest,
  place: StoredPlace | null,
): Completed {
  const { evidence, usage, reasoning, refused, answered, modelFailure, missingWords, notes, toolCalls } =
    answer;
  const { promptTokens, completionTokens } = usage;
  return {
    completion: answer.completion,
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    finish_reason: answer.finishReason,
    sources: sourcesOf(evidence),
    metadata: {
      model: evidence.model,
      provider: evidence.provider,
      context_chunks: evidence.passages.length,
      dropped_chunks: evidence.dropped,
      ...(turn.citations === 'none' ? {} : { citations: answer.citations }),
      ...(evidence.entities === null ? {} : { entities: evidence.entities }),
      ...(reasoning === '' ? {} : { reasoning }),
      ...(refused === undefined ? {} : { refused }),
      ...(answered === undefined ? {} : { answered }),
      ...(modelFailure === undefined ? {} : { model_failure: modelFailure }),
      ...(missingWords === undefined ? {} : { missing_words: missingWords }),
      ...(notes.length === 0 ? {} : { notes }),
      documents_processing: answer.processing,
      ...placeInChat(place),
      timings_ms: currentTimings(),
      ...(showsPlan && evidence.plan !== null ? { plan: evidence.plan } : {}),
    },
    ...(toolCalls === undefined ? {} : { tool_calls: toolCalls }),
  };
}
