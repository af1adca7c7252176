import { APIError, type OpenAI } from 'openai';
import { Deadline, ProviderFailed, type LecternError } from '../errors/index.js';
import { isTransient, withRetries } from '../providers/calls.js';
import { providerClient } from '../providers/client.js';
import { failureOf, RequestRefused, UnusableAnswer } from '../providers/failures.js';
import { observedCall } from '../providers/observed-call.js';
import type { Fetch } from '../providers/fetch.js';
import { PROVIDERS } from '../providers/providers.js';
import { currentSignal } from '../request/request-context.js';
import { modelTokens } from '../telemetry/metrics.js';
import {
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
import { countMessages, countTokens, countTools } from './message-tokens.js';
import type { ModelSettings } from './model-settings.js';
import { readAnswer, readChunk, type WireAnswer, wireRequest } from './wire.js';

/** Vocabularies of other families divide the same text into up to a fifth more tokens than o200k does. */
const FOREIGN_TOKENIZER = 1.2;

const CHECK_TIMEOUT_MS = 2_000;

/** Answers of a provider that lists no models, and may complete all the same. */
const LISTS_NO_MODELS = [400, 404, 405, 501];

/** A model behind the chat completions API of OpenAI, Azure, or anyone who speaks it. */
export class OpenAiModel extends LanguageModel {
  readonly provider: string;
  readonly name: string;
  readonly contextWindow: number;
  readonly vision: boolean;
  readonly maxTokens: number | null;
  private readonly client: OpenAI;
  /** In errors. */
  private readonly who: string;

  /** @param fetch reaches the provider; decides which addresses may be connected to. */
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
    this.who = `The provider of ${name}`;
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
    const deadline = new Deadline(CHECK_TIMEOUT_MS, undefined, `${this.who} did not answer in time`);
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
      const { text, refused, calls, usage, finishReason } = await this.retrying(
        deadline,
        request,
        async () => {
          const body = wireRequest(this.settings, request);
          const answer = readAnswer(
            await this.client.chat.completions.create(body, { signal: deadline.signal }),
          );
          if (answer === null) throw new UnusableAnswer(`${this.who} sent no completion`);
          return answer;
        },
      );
      return {
        text,
        finishReason,
        usage: counted(usage ?? this.estimate(request, text, calls)),
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
      let text = '';
      const calls: ToolCallDelta[] = [];
      let finishReason: string | null = null;
      let usage: Usage | null = null;
      for await (const chunk of this.chunks(opening, rest, deadline)) {
        finishReason = chunk.finishReason ?? finishReason;
        usage = chunk.usage ?? usage;
        text += chunk.text;
        calls.push(...chunk.calls);
        if (chunk.text !== '') yield { type: 'delta', text: chunk.text };
        if (chunk.calls.length > 0) yield { type: 'calls', deltas: chunk.calls };
      }
      if (finishReason === null) throw new ProviderFailed(`The stream of ${this.name} broke off`);
      yield { type: 'end', usage: counted(usage ?? this.estimate(request, text, calls)), finishReason };
    } finally {
      deadline.end();
    }
  }

  private deadline(caller: AbortSignal | undefined): Deadline {
    const { timeoutMs } = this.settings;
    return new Deadline(timeoutMs, caller, `The model did not answer within ${timeoutMs} ms`);
  }

  /** Opens a stream and waits for its first text or call, so that a failure up to there can be retried. */
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
      // The library ends a stream quietly when it is aborted.
      deadline.throwIfOver();
      if (next.done) throw new UnusableAnswer(`${this.who} sent an empty stream`);
      const chunk = readChunk(next.value);
      opening.push(chunk);
      if (chunk.text !== '' || chunk.calls.length > 0 || chunk.finishReason !== null)
        return { opening, rest };
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
      // Leaving early closes the connection, and with it the provider's work.
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
      // The next answer of a model is another one.
      canHelp: (error) => isTransient(error) || error instanceof UnusableAnswer,
    });
  }

  /** @param asked what was sent: a refusal may be about its functions or its response format. */
  private explained(error: unknown, asked?: Pick<CompletionRequest, 'format' | 'tools'>): LecternError {
    const { apiKey, logsWords } = this.settings;
    const failure = failureOf(error, { kind: 'llm', who: this.who, model: this.name, apiKey, logsWords });
    if (!(failure instanceof RequestRefused)) return failure;
    const { answered, cause } = failure;
    if (failure.isTooLong) {
      const sentence = `The prompt is longer than ${this.name} reads: set its context window`;
      return new ProviderFailed(sentence, undefined, { cause });
    }
    if (asked === undefined || (answered !== 400 && answered !== 422)) return failure;
    if (asked.tools !== undefined && asked.tools.choice !== 'required') {
      return new ToolsRefused(`${this.who} refused the tools (${answered})`, undefined, { cause });
    }
    if (asked.format.kind === 'text') return failure;
    const sentence = `${this.who} refused the response format (${answered})`;
    return new ResponseFormatRefused(sentence, undefined, { cause });
  }

  /** For providers that do not count. */
  private estimate(request: CompletionRequest, text: string, calls: readonly ToolCallDelta[]): Usage {
    const called = calls.map(({ name = '', arguments: given }) => name + given).join('');
    return {
      promptTokens: countMessages(request.messages, this) + countTools(request.tools, this),
      completionTokens: this.countTokens(text) + this.countTokens(called),
    };
  }
}

/** Adds what a completion used to the measures of the process. */
function counted(usage: Usage): Usage {
  modelTokens.inc({ kind: 'llm', direction: 'input' }, usage.promptTokens);
  modelTokens.inc({ kind: 'llm', direction: 'output' }, usage.completionTokens);
  return usage;
}
