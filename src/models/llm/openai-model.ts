import { APIError, type OpenAI } from 'openai';
import { Deadline, ProviderFailed, type LecternError } from '../../errors/index.js';
import { isTransient, withRetries } from '../providers/calls.js';
import { providerClient } from '../providers/client.js';
import { failureOf, RequestRefused, UnusableAnswer } from '../providers/failures.js';
import { observedCall } from '../providers/observed-call.js';
import type { Fetch } from '../providers/fetch.js';
import { PROVIDERS } from '../providers/providers.js';
import { currentSignal } from '../../request/request-context.js';
import { modelTokens } from '../../telemetry/metrics.js';
import {
  type ChatMessage,
  type Completion,
  type CompletionEvent,
  type CompletionRequest,
  joinToolCalls,
  LanguageModel,
  ResponseFormatRefused,
  type ToolCallDelta,
  ToolsRefused,
  type Usage,
} from './language-model.js';
import { countMessages, countTokens, countTools } from './prompt-parts.js';
import type { ModelSettings } from './model-settings.js';
import { JoinedPieces, ReasoningSplitter, type TextPiece } from './reasoning/reasoning-splitter.js';
import { CLOSING_TAG } from './reasoning/reasoning-blocks.js';
import { UnopenedReasoning } from './reasoning/unopened-reasoning.js';
import { ToolCallReader } from './tool-calls.js';
import { readAnswer, readChunk, type WireAnswer, wireRequest } from './wire.js';

/**
 * Factor on the token count for models of other families. Their tokenizers need up to a fifth more tokens than o200k
 * for the same text.
 */
const FOREIGN_TOKENIZER = 1.2;

const CHECK_TIMEOUT_MS = 2_000;

/** Shared by all instances, because the instance for a request's own model exists only during this request. */
const unopenedReasoning = new UnopenedReasoning();

/** Status codes of a provider without a model list. Such a provider may still serve completions. */
const LISTS_NO_MODELS = [400, 404, 405, 501];

/** A model behind the chat completions API of OpenAI, Azure, or a compatible server. */
export class OpenAiModel extends LanguageModel {
  readonly provider: string;
  readonly name: string;
  readonly contextWindow: number;
  readonly vision: boolean;
  readonly maxTokens: number | null;
  private readonly client: OpenAI;
  /** Name of the provider in error messages. */
  private readonly label: string;

  /** @param fetch sends requests to the provider and enforces the allowed addresses. */
  constructor(
    private readonly settings: ModelSettings,
    fetch: Fetch,
  ) {
    super();
    const { provider, name, apiBase, apiKey, extraHeaders, deployment, apiVersion } = settings;
    this.provider = provider;
    this.name = name;
    this.contextWindow = settings.contextWindow;
    this.vision = settings.vision;
    this.maxTokens = settings.maxTokens;
    this.label = `The provider of ${name}`;
    this.client = providerClient(
      {
        provider,
        apiBase: apiBase ?? '',
        apiKey,
        headers: extraHeaders,
        deployment: deployment ?? name,
        apiVersion,
      },
      fetch,
    );
  }

  countTokens(text: string): number {
    const tokens = countTokens(text);
    const isOurs = this.provider === 'openai' || this.provider === 'azure';
    return isOurs ? tokens : Math.ceil(tokens * FOREIGN_TOKENIZER);
  }

  async check(): Promise<void> {
    const deadline = new Deadline(CHECK_TIMEOUT_MS, undefined, `${this.label} did not answer in time`);
    try {
      await this.client.get('/models', { signal: deadline.signal });
    } catch (error) {
      deadline.throwIfOver();
      if (error instanceof APIError && LISTS_NO_MODELS.includes((error as APIError).status ?? 0)) return;
      throw this.explained(error);
    } finally {
      deadline.end();
    }
  }

  async complete(request: CompletionRequest): Promise<Completion> {
    const deadline = this.deadline(currentSignal());
    try {
      const answer = await this.retrying(deadline, request, async () => {
        const body = wireRequest(this.settings, request);
        const read = readAnswer(await this.client.chat.completions.create(body, { signal: deadline.signal }));
        if (read === null) throw new UnusableAnswer(`${this.label} sent no completion`);
        return read;
      });
      const { refused, usage, finishReason } = answer;
      const splitter = this.splitterFor(request);
      const pieces = split(splitter, refused ? { ...answer, text: '' } : answer);
      const { text, reasoning } = joined([...pieces, ...this.endOf(splitter, finishReason)]);
      const reader = new ToolCallReader();
      const calls = [...reader.push(answer.calls), ...reader.end()];
      return {
        text: refused ? answer.text : text,
        reasoning: reasoning.trim(),
        finishReason: finishReasonOf(splitter, answer),
        usage: counted(usage ?? this.estimate(request, answer.reasoning + answer.text, calls)),
        ...(refused ? { refused } : {}),
        ...(calls.length === 0 ? {} : { toolCalls: joinToolCalls(calls) }),
      };
    } finally {
      deadline.end();
    }
  }

  async *stream(request: CompletionRequest): AsyncGenerator<CompletionEvent> {
    const deadline = this.deadline(currentSignal());
    try {
      const { opening, rest } = await this.retrying(deadline, request, () => this.open(request, deadline));
      const splitter = this.splitterFor(request);
      let written = '';
      const reader = new ToolCallReader();
      let finishReason: string | null = null;
      let usage: Usage | null = null;
      for await (const chunk of this.chunks(opening, rest, deadline)) {
        finishReason = chunk.finishReason ?? finishReason;
        usage = chunk.usage ?? usage;
        written += chunk.reasoning + chunk.text;
        yield* split(splitter, chunk.refused ? { ...chunk, text: '' } : chunk);
        if (chunk.refused) yield { type: 'refusal', text: chunk.text };
        const begun = reader.push(chunk.calls);
        if (begun.length > 0) yield { type: 'calls', deltas: begun };
      }
      if (finishReason === null) throw new ProviderFailed(`The stream of ${this.name} broke off`);
      yield* this.endOf(splitter, finishReason);
      const calls = reader.end();
      if (calls.length > 0) yield { type: 'calls', deltas: calls };
      yield {
        type: 'end',
        usage: counted(usage ?? this.estimate(request, written, calls)),
        finishReason: finishReasonOf(splitter, { finishReason, calls }),
      };
    } finally {
      deadline.end();
    }
  }

  private splitterFor({ messages }: CompletionRequest): ReasoningSplitter {
    return new ReasoningSplitter({
      opensInPrompt: unopenedReasoning.expects(this.settings),
      promptHasTag: messages.some(hasClosingTag),
    });
  }

  private endOf(splitter: ReasoningSplitter, finishReason: string | null): TextPiece[] {
    const pieces = splitter.end(finishReason === 'length');
    if (splitter.wasUnopened) unopenedReasoning.remember(this.settings);
    return pieces;
  }

  private deadline(caller: AbortSignal | undefined): Deadline {
    const { timeoutMs } = this.settings;
    return new Deadline(timeoutMs, caller, `The model did not answer within ${timeoutMs} ms`);
  }

  /** Opens a stream and reads it up to the first text, reasoning or call. Retries a failure before that point. */
  private async open(
    request: CompletionRequest,
    deadline: Deadline,
  ): Promise<{ opening: readonly WireAnswer[]; rest: AsyncIterator<unknown> }> {
    const countsStreams = PROVIDERS[this.settings.provider].countsStreams;
    const stream = await this.client.chat.completions.create(
      {
        ...wireRequest(this.settings, request),
        stream: true,
        ...(countsStreams ? { stream_options: { include_usage: true } } : {}),
      },
      { signal: deadline.signal },
    );
    const rest: AsyncIterator<unknown> = stream[Symbol.asyncIterator]();
    const opening: WireAnswer[] = [];
    for (;;) {
      const next = await rest.next();
      // The client library ends a stream without an error if it is aborted.
      deadline.throwIfOver();
      if (next.done) throw new UnusableAnswer(`${this.label} sent an empty stream`);
      const chunk = readChunk(next.value);
      opening.push(chunk);
      const begins = chunk.text !== '' || chunk.reasoning !== '' || chunk.calls.length > 0;
      if (begins || chunk.finishReason !== null) return { opening, rest };
    }
  }

  private async *chunks(
    opening: readonly WireAnswer[],
    rest: AsyncIterator<unknown>,
    deadline: Deadline,
  ): AsyncGenerator<WireAnswer> {
    try {
      yield* opening;
      for (;;) {
        const next = await rest.next();
        deadline.throwIfOver();
        if (next.done) return;
        yield readChunk(next.value);
      }
    } catch (error) {
      deadline.throwIfOver();
      throw this.explained(error);
    } finally {
      // Closes the connection if the reader stops early, so that the provider stops generating.
      await rest.return?.();
    }
  }

  private retrying<T>(deadline: Deadline, request: CompletionRequest, send: () => Promise<T>): Promise<T> {
    const attempt = async (): Promise<T> => {
      try {
        return await send();
      } catch (error) {
        deadline.throwIfOver();
        throw this.explained(error, request);
      }
    };
    return withRetries(() => observedCall('llm', deadline.signal, attempt), {
      kind: 'llm',
      attempts: this.settings.retries + 1,
      withinMs: deadline.remainingMs(),
      signal: deadline.signal,
      // An unusable answer is retried too: the next attempt may give a usable answer.
      canHelp: (error) => isTransient(error) || error instanceof UnusableAnswer,
    });
  }

  /**
   * Converts an error of the client library to a domain error.
   *
   * @param request the rejected request: its tools or its response format may be the cause
   */
  private explained(error: unknown, request?: Pick<CompletionRequest, 'format' | 'tools'>): LecternError {
    const { apiKey, logsMessages } = this.settings;
    const failure = failureOf(error, {
      kind: 'llm',
      label: this.label,
      model: this.name,
      apiKey,
      logsMessages,
    });
    if (!(failure instanceof RequestRefused)) return failure;
    const { answered, cause } = failure;
    if (failure.isTooLong) {
      const message = `The prompt exceeds the context window of ${this.name}: set context_window or LLM_CONTEXT_WINDOW`;
      return new ProviderFailed(message, undefined, { cause });
    }
    if (request === undefined || (answered !== 400 && answered !== 422)) return failure;
    if (request.tools !== undefined && request.tools.choice !== 'required') {
      return new ToolsRefused(`${this.label} refused the tools (${answered})`, undefined, { cause });
    }
    if (request.format.kind === 'text') return failure;
    const message = `${this.label} refused the response format (${answered})`;
    return new ResponseFormatRefused(message, undefined, { cause });
  }

  /** Estimates the usage for providers that do not report it. */
  private estimate(request: CompletionRequest, text: string, calls: readonly ToolCallDelta[]): Usage {
    const called = calls.map(({ name = '', arguments: given }) => name + given).join('');
    return {
      promptTokens: countMessages(request.messages, this) + countTools(request.tools, this),
      completionTokens: this.countTokens(text) + this.countTokens(called),
    };
  }
}

function hasClosingTag({ content }: ChatMessage): boolean {
  if (typeof content === 'string') return content.includes(CLOSING_TAG);
  return content.some((part) => part.type === 'text' && part.text.includes(CLOSING_TAG));
}

/**
 * Splits an answer, or one event of a streamed answer, into pieces. Reasoning from a separate field is the first piece.
 */
function split(splitter: ReasoningSplitter, { text, reasoning }: WireAnswer): TextPiece[] {
  if (reasoning === '') return splitter.push(text);
  splitter.expectNoUnopened();
  return [{ type: 'reasoning', text: reasoning }, ...splitter.push(text)];
}

function joined(pieces: readonly TextPiece[]): JoinedPieces {
  const all = new JoinedPieces();
  for (const piece of pieces) all.add(piece);
  return all;
}

/** Returns `length` for an answer that ends inside its reasoning, even if the provider reports another reason. */
function finishReasonOf(
  { isCut }: ReasoningSplitter,
  { finishReason, calls }: { readonly finishReason: string | null; readonly calls: readonly unknown[] },
): string | null {
  return isCut && calls.length === 0 && finishReason !== 'content_filter' ? 'length' : finishReason;
}

/** Adds the usage of a completion to the metrics. */
function counted(usage: Usage): Usage {
  modelTokens.inc({ kind: 'llm', direction: 'input' }, usage.promptTokens);
  modelTokens.inc({ kind: 'llm', direction: 'output' }, usage.completionTokens);
  return usage;
}
