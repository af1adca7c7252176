import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { addUsage } from '../llm/language-model.js';
import { addTiming, addTokens, currentTimings, throwIfAborted, timed } from '../request/request-context.js';
import type { RetrievalPlan } from '../retrieval/retrieval.types.js';
import { AnsweringService, type Answer } from './answering.service.js';
import { MAX_KEPT_SOURCES } from './chats/chat.dto.js';
import { ChatRepository } from './chats/chat.repository.js';
import { PreparationService, type PreparedQuery } from './preparation.service.js';
import { type Completed, type QueryRequest, relocated, type StreamEvent } from './query.types.js';
import type { CompletionSourceDto } from './query-response.dto.js';
import { sourceOf } from './sources.js';

/** Text of a question asked by an image, as stored in a chat. */
const IMAGE_TURN = '[image]';

/** SSE event types by answer event type. */
const NAMES = { delta: 'assistant', reasoning: 'reasoning' } as const;

/** Answers questions from the documents of a scope: retrieves once, calls the model, stores the chat turns. */
@Injectable()
export class QueryService {
  constructor(
    private readonly preparation: PreparationService,
    private readonly answering: AnsweringService,
    private readonly chats: ChatRepository,
  ) {}

  /**
   * If the caller disconnects, model calls are cancelled and nothing is stored.
   *
   * @throws Invalid, ProviderFailed, TooManyRequests, DeadlineExceeded.
   */
  async complete(scope: Scope, request: QueryRequest): Promise<Completed> {
    try {
      const prepared = await this.preparation.prepare(scope, request);
      const answer = await timed('llm', () => this.answering.complete(prepared));
      return await this.conclude(scope, request, prepared, answer);
    } catch (error) {
      throw relocated(error, request.placeOf);
    }
  }

  /**
   * The same as a stream: `assistant` deltas and `done`. Failures are thrown, before or after the first event.
   *
   * @param onPrepared called with the retrieval plan before the first event
   */
  async *stream(
    scope: Scope,
    request: QueryRequest,
    onPrepared: (plan: RetrievalPlan) => void,
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
    onPrepared: (plan: RetrievalPlan) => void,
  ): AsyncGenerator<StreamEvent> {
    const prepared = await this.preparation.prepare(scope, request);
    onPrepared(prepared.plan);
    const asked = performance.now();
    for await (const event of this.answering.stream(prepared)) {
      if (event.type === 'reasoning' && !request.streamsReasoning) continue;
      if (event.type !== 'end') {
        yield event.type === 'calls' ? event : { type: NAMES[event.type], content: event.text };
        continue;
      }
      addTiming('llm', performance.now() - asked);
      const response = await this.conclude(scope, request, prepared, event.answer);
      const { completion, ...rest } = response;
      const shaped = request.schema === null ? {} : { completion };
      yield { type: 'done', ...rest, ...shaped };
    }
  }

  /** Stores both turns once the answer is complete and the caller is still connected. Function calls are not stored. */
  private async conclude(
    scope: Scope,
    request: QueryRequest,
    prepared: PreparedQuery,
    answer: Answer,
  ): Promise<Completed> {
    throwIfAborted();
    const sources = prepared.passages.map(({ chunk }) => sourceOf(chunk));
    const { chatId, retrieval, calledAs } = request;
    const isWhole = answer.toolCalls === undefined || calledAs !== null;
    if (chatId !== null && isWhole) {
      const identity = { chatId, endUserId: retrieval.endUserId };
      await this.chats.append(scope, identity, {
        question: retrieval.query ?? IMAGE_TURN,
        answer: answer.text,
        evidence: { citations: answer.citations, sources: sources.slice(0, MAX_KEPT_SOURCES) },
      });
    }
    const response = completionResponse(prepared, answer, request, { sources, timings: currentTimings() });
    addTokens(response.usage.total_tokens);
    return response;
  }
}

function completionResponse(
  prepared: PreparedQuery,
  answer: Answer,
  { inlineCitations, explain }: Pick<QueryRequest, 'inlineCitations' | 'explain'>,
  {
    sources,
    timings,
  }: { readonly sources: CompletionSourceDto[]; readonly timings: Readonly<Record<string, number>> },
): Completed {
  const { promptTokens, completionTokens } = addUsage(prepared.usage, answer.usage);
  const notes = [...prepared.notes, ...(answer.notes ?? [])];
  return {
    completion: answer.completion,
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
    finish_reason: answer.finishReason,
    sources,
    metadata: {
      model: prepared.model.name,
      provider: prepared.model.provider,
      context_chunks: prepared.passages.length,
      dropped_chunks: prepared.dropped,
      ...(inlineCitations ? { citations: answer.citations } : {}),
      ...(prepared.entities === null ? {} : { entities: prepared.entities }),
      ...(answer.reasoning === '' ? {} : { reasoning: answer.reasoning }),
      ...(answer.answered === undefined ? {} : { answered: answer.answered }),
      ...(notes.length === 0 ? {} : { notes }),
      timings_ms: timings,
      ...(explain ? { plan: prepared.plan } : {}),
    },
    ...(answer.toolCalls === undefined ? {} : { tool_calls: answer.toolCalls }),
  };
}
