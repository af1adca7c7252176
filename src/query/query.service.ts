import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { addUsage } from '../llm/language-model.js';
import {
  addTiming,
  addTokens,
  currentSignal,
  currentTimings,
  throwIfAborted,
  timed,
} from '../request/request-context.js';
import type { RetrievalPlan, RetrievedChunk } from '../retrieval/retrieval.types.js';
import { AnsweringService, type Answer } from './answering.service.js';
import { MAX_KEPT_SOURCES } from './chats/chat.dto.js';
import { ChatRepository } from './chats/chat.repository.js';
import type { CitationEntry } from './citations/citations.js';
import { PreparationService, type PreparedQuery } from './preparation.service.js';
import { type Completed, type QueryRequest, relocated, type StreamEvent } from './query.types.js';
import type { CompletionSourceDto } from './query-response.dto.js';

/** Text of a question asked by an image, as stored in a chat. */
const IMAGE_TURN = '[image]';

/** Maximum length of an excerpt, in UTF-16 code units. */
const MAX_EXCERPT = 300;

/** SSE event types by answer event type. */
const NAMES = { delta: 'assistant', reasoning: 'reasoning' } as const;

/** Answers questions from the documents of a scope: retrieves once, calls the model, stores the chat turns. */
@Injectable()
export class QueryService {
  constructor(
    private readonly preparation: PreparationService,
    private readonly answering: AnsweringService,
    private readonly chats: ChatRepository,
    private readonly documents: DocumentRepository,
  ) {}

  /**
   * If the caller disconnects, model calls are cancelled and nothing is stored. A stream stores the text so far, also if the
   * model breaks off.
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
    if (request.streamsSources) yield { type: 'sources', sources: sourcesOf(prepared) };
    const asked = performance.now();
    const written: Written = { text: '', citations: [], isEnded: false, isStored: false };
    try {
      for await (const event of this.answering.stream(prepared)) {
        if (event.type === 'reasoning' && !request.streamsReasoning) continue;
        if (event.type !== 'end') {
          if (event.type === 'delta') {
            written.text += event.text;
            written.citations = event.citations ?? [];
          }
          yield event.type === 'calls' ? event : { type: NAMES[event.type], content: event.text };
          continue;
        }
        written.isEnded = true;
        addTiming('llm', performance.now() - asked);
        const response = await this.conclude(scope, request, prepared, event.answer);
        written.isStored = true;
        const { completion, ...rest } = response;
        const shaped = request.schema === null ? {} : { completion };
        yield { type: 'done', ...rest, ...shaped };
      }
    } finally {
      await this.keepStopped(scope, request, prepared, written);
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
    const processing = await this.documents.countProcessing(scope, prepared.selection);
    const isWhole = answer.toolCalls === undefined || request.calledAs !== null;
    const position = isWhole ? await this.store(scope, request, prepared, answer) : null;
    const response = completionResponse(prepared, answer, request, {
      sources: sourcesOf(prepared),
      timings: currentTimings(),
      processing,
      position,
    });
    addTokens(response.usage.total_tokens);
    return response;
  }

  /** Stores the text so far when the caller leaves a stream or the model breaks it off. A text with a schema is no answer before its end. */
  private async keepStopped(
    scope: Scope,
    request: QueryRequest,
    prepared: PreparedQuery,
    { text, citations, isEnded, isStored }: Written,
  ): Promise<void> {
    if (isStored || text === '' || request.schema !== null) return;
    const hasLeft = currentSignal()?.aborted === true;
    if (isEnded && !hasLeft) return; // it could not be stored
    await this.store(scope, request, prepared, { text, citations }, true);
  }

  /** @returns the position of the answer in its chat; null without a chat */
  private async store(
    scope: Scope,
    { chatId, retrieval, search, replaceFrom }: QueryRequest,
    prepared: PreparedQuery,
    { text, citations }: Pick<Answer, 'text' | 'citations'>,
    stopped = false,
  ): Promise<number | null> {
    if (chatId === null) return null;
    const identity = { chatId, endUserId: retrieval.endUserId };
    return this.chats.append(scope, identity, {
      question: retrieval.query ?? IMAGE_TURN,
      answer: text,
      evidence: {
        citations,
        sources: sourcesOf(prepared).slice(0, MAX_KEPT_SOURCES),
        searched: prepared.question,
        model: prepared.model.name,
      },
      stopped,
      search,
      replaceFrom,
    });
  }
}

/** The part of a streamed answer that was sent. */
interface Written {
  text: string;
  citations: readonly CitationEntry[];
  /** Whether the model has written all of it. */
  isEnded: boolean;
  /** Whether the whole answer was stored. */
  isStored: boolean;
}

function sourcesOf({ passages }: PreparedQuery): CompletionSourceDto[] {
  return passages.map(({ chunk }) => sourceOf(chunk));
}

/** A chunk as a source of an answer: what a client needs to name it and to show how its text begins. */
export function sourceOf(chunk: RetrievedChunk): CompletionSourceDto {
  return {
    document_id: chunk.documentId,
    chunk_number: chunk.chunkNumber,
    score: chunk.isPadding ? null : chunk.score,
    filename: chunk.filename,
    page_number: chunk.pageNumber,
    is_image: chunk.imageKey !== null,
    excerpt: excerptOf(chunk),
  };
}

/** The start of the text on the page of the chunk, cut between words. */
function excerptOf({ content, overlap }: Pick<RetrievedChunk, 'content' | 'overlap'>): string {
  const text = content.slice(overlap?.length ?? 0).trim();
  if (text.length <= MAX_EXCERPT) return text;
  const words = text.slice(0, MAX_EXCERPT).replace(/\s+\S*$/, '');
  return `${words.replace(/[\uD800-\uDBFF]$/, '')}…`; // without half of a surrogate pair
}

interface Circumstances {
  readonly sources: CompletionSourceDto[];
  readonly timings: Readonly<Record<string, number>>;
  /** Selected documents that are being ingested. */
  readonly processing: number;
  /** Of the answer in its chat. */
  readonly position: number | null;
}

function completionResponse(
  prepared: PreparedQuery,
  answer: Answer,
  { inlineCitations, explain }: Pick<QueryRequest, 'inlineCitations' | 'explain'>,
  { sources, timings, processing, position }: Circumstances,
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
      ...(answer.missingWords === undefined ? {} : { missing_words: answer.missingWords }),
      ...(notes.length === 0 ? {} : { notes }),
      documents_processing: processing,
      ...(position === null ? {} : { message_index: position }),
      timings_ms: timings,
      ...(explain ? { plan: prepared.plan } : {}),
    },
    ...(answer.toolCalls === undefined ? {} : { tool_calls: answer.toolCalls }),
  };
}
