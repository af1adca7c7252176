import { Injectable } from '@nestjs/common';
import type { Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { relocated } from '../errors/index.js';
import { addUsage } from '../models/llm/language-model.js';
import {
  addTiming,
  addTokens,
  currentSignal,
  currentTimings,
  throwIfAborted,
  timed,
} from '../request/request-context.js';
import type { RetrievalPlan, RetrievedChunk } from '../retrieval/retrieval.types.js';
import { AnsweringService, type Answer } from '../answering/answering.service.js';
import { MAX_KEPT_SOURCES } from '../chats/chat.dto.js';
import { ChatRepository } from '../chats/chat.repository.js';
import type { CitationEntry } from '../answering/citations/citations.js';
import { PreparationService, type PreparedQuery } from '../answering/preparation.service.js';
import type { Completed, QueryRequest, StreamEvent } from '../answering/query.types.js';
import type { CompletionSourceDto } from './query-response.dto.js';

/** The text that is stored in a chat for an image question. */
const IMAGE_TURN = '[image]';

/** Maximum length of an excerpt, in UTF-16 code units. */
const MAX_EXCERPT = 300;

/** SSE event types by answer event type. */
const NAMES = { delta: 'assistant', reasoning: 'reasoning' } as const;

/** Answers questions from documents: retrieves passages, calls the model, and stores the turns of the chat. */
@Injectable()
export class QueryService {
  constructor(
    private readonly preparation: PreparationService,
    private readonly answering: AnsweringService,
    private readonly chats: ChatRepository,
    private readonly documents: DocumentRepository,
  ) {}

  /**
   * Answers a question. If the caller disconnects, cancels model calls and stores nothing.
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
   * Streams an answer as `assistant` deltas and a final `done`. Failures are thrown, before or after the first event.
   * If the caller disconnects or the stream of the model breaks off, stores the partial text.
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
        // The deltas are the JSON text of an object, or contain reasoning that was recognised too late.
        const differs = completion !== written.text;
        yield { type: 'done', ...rest, ...(differs ? { completion } : {}) };
      }
    } finally {
      await this.keepStopped(scope, request, prepared, written);
    }
  }

  /**
   * Stores both turns and returns the response, if the caller is still connected. Does not store an answer that
   * consists of function calls.
   */
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

  /**
   * Stores the partial text if the caller disconnects or the stream of the model breaks off. Does not store a partial
   * answer for a schema, because it is not valid.
   */
  private async keepStopped(
    scope: Scope,
    request: QueryRequest,
    prepared: PreparedQuery,
    { text, citations, isEnded, isStored }: Written,
  ): Promise<void> {
    if (isStored || text === '' || request.schema !== null) return;
    const hasLeft = currentSignal()?.aborted === true;
    if (isEnded && !hasLeft) return; // storing the whole answer failed
    await this.store(scope, request, prepared, { text, citations }, true);
  }

  /** Stores an exchange in its chat. @returns the position of the answer; null without a chat */
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

/** The part of a streamed answer that was sent so far. */
interface Written {
  text: string;
  citations: readonly CitationEntry[];
  /** Whether the model has finished the answer. */
  isEnded: boolean;
  /** Whether the whole answer was stored. */
  isStored: boolean;
}

function sourcesOf({ passages }: PreparedQuery): CompletionSourceDto[] {
  return passages.map(({ chunk }) => sourceOf(chunk));
}

/** Describes a chunk as a source of an answer: its name, and the beginning of its text. */
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

/** The beginning of a chunk's text after the overlap, cut between words. */
function excerptOf({ content, overlap }: Pick<RetrievedChunk, 'content' | 'overlap'>): string {
  const text = content.slice(overlap?.length ?? 0).trim();
  if (text.length <= MAX_EXCERPT) return text;
  const words = text.slice(0, MAX_EXCERPT - 1).replace(/\s+\S*$/, '');
  return `${words.replace(/[\uD800-\uDBFF]$/, '')}…`; // removes half of a surrogate pair
}

interface Circumstances {
  readonly sources: CompletionSourceDto[];
  readonly timings: Readonly<Record<string, number>>;
  /** Number of selected documents that are still being ingested. */
  readonly processing: number;
  /** Position of the answer in its chat. */
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
