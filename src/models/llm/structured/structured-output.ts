import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProviderFailed } from '../../../errors/index.js';
import { addUsage, type Completion, type CompletionEvent, type CompletionRequest, joinToolCalls, type LanguageModel, type ResponseFormat, ResponseFormatRefused, type ToolCall, type ToolCallDelta, type Usage } from '../language-model.js';
import { beginningOf, NO_ANSWER } from '../prompt-parts.js';
import { JoinedPieces } from '../reasoning/reasoning-splitter.js';
import type { CompiledSchema } from './compile-schema.js';
import { isSchemaObject, type JsonSchema } from './json-schema.js';
import { readValue, type ReadValue } from './find-json.js';

/** A value that is valid against its schema, with the usage of all calls. */
export interface StructuredCompletion {
  readonly value: unknown;
  /** The model's JSON text of the value. */
  readonly text: string;
  /** Reasoning of the answer that contains the value; empty when the provider sends no reasoning. */
  readonly reasoning: string;
  /** Sum over all calls. */
  readonly usage: Usage;
  readonly finishReason: string | null;
  /** Tool calls requested instead of an answer; `value` is then meaningless. */
  readonly toolCalls?: readonly ToolCall[];
  /** Whether the model refused to answer; `value` is then the text of the refusal. Absent if it did not. */
  readonly refused?: boolean;
}

/** Thrown when both the model's answer and its repair violate the schema. */
export class WrongShape extends ProviderFailed {
  constructor(
    message: string,
    /** Sum over all calls. */
    readonly usage: Usage,
  ) {
    super(message);
  }
}

export type StructuredEvent =
  Exclude<CompletionEvent, { type: 'end' }> | ({ readonly type: 'end' } & StructuredCompletion);

/**
 * Completes prompts with JSON that is valid against a schema. Tries up to three formats, until the provider accepts a
 * format: JSON Schema mode, JSON mode, and plain text from which the JSON is extracted. If the answer is invalid, sends
 * one repair request that lists the violations.
 */
@Injectable()
export class StructuredOutput {
  private readonly refused = new RefusedFormats();

  /** @throws WrongShape when the answer is still not valid after the repair. */
  async complete(
    model: LanguageModel,
    request: CompletionRequest,
    schema: CompiledSchema,
  ): Promise<StructuredCompletion> {
    const refusing: ResponseFormat[] = [];
    for (const format of this.refused.without(model, formatsFor(schema.schema))) {
      const formatted = { ...request, format };
      try {
        const first = await model.complete(formatted);
        this.refused.note(model, refusing);
        return await this.settle(model, formatted, schema, first);
      } catch (error) {
        refusing.push(refusedBy(format, error));
      }
    }
    throw new ProviderFailed(`The provider of ${model.name} refused every response format`);
  }

  /** Streams the first answer. A repair is not streamed. @throws like `complete`. */
  async *stream(
    model: LanguageModel,
    request: CompletionRequest,
    schema: CompiledSchema,
  ): AsyncGenerator<StructuredEvent> {
    const refusing: ResponseFormat[] = [];
    for (const format of this.refused.without(model, formatsFor(schema.schema))) {
      const formatted = { ...request, format };
      const written = new JoinedPieces();
      let refusal = '';
      const calls: ToolCallDelta[] = [];
      let end: Extract<CompletionEvent, { type: 'end' }> | undefined;
      try {
        for await (const event of model.stream(formatted)) {
          if (event.type === 'end') {
            end = event;
            continue;
          }
          if (event.type === 'calls') calls.push(...event.deltas);
          else if (event.type === 'refusal') refusal += event.text;
          else written.add(event);
          yield event;
        }
      } catch (error) {
        refusing.push(refusedBy(format, error));
        continue;
      }
      this.refused.note(model, refusing);
      if (end === undefined) throw new ProviderFailed(`The stream of ${model.name} broke off`);
      const isRefused = refusal !== '' && written.text.trim() === '';
      const text = isRefused ? refusal : written.text;
      const reasoning = written.reasoning.trim();
      const first = {
        ...end,
        text,
        reasoning,
        ...(isRefused ? { refused: true } : {}),
        ...(calls.length === 0 ? {} : { toolCalls: joinToolCalls(calls) }),
      };
      yield { type: 'end', ...(await this.settle(model, formatted, schema, first)) };
      return;
    }
    throw new ProviderFailed(`The provider of ${model.name} refused every response format`);
  }

  private async settle(
    model: LanguageModel,
    request: CompletionRequest,
    schema: CompiledSchema,
    first: Completion,
  ): Promise<StructuredCompletion> {
    const { text, reasoning, usage, finishReason, toolCalls } = first;
    if (toolCalls !== undefined) return { value: text, text, reasoning, usage, finishReason, toolCalls };
    if (first.refused === true) return refusalOf(first, usage);
    const read = readValue(first.text, schema);
    if (read.valid) return outcome(read, first, first.usage);
    const second = await model.complete(repairRequest(model, request, first.text, read.problems));
    if (second.refused === true) return refusalOf(second, addUsage(first.usage, second.usage));
    const repaired = readValue(second.text, schema);
    if (repaired.valid) return outcome(repaired, second, addUsage(first.usage, second.usage));
    const cut = second.finishReason === 'length' ? ' (truncated at the token limit)' : '';
    const problems = repaired.problems.slice(0, 3).join('; ');
    throw new WrongShape(
      `The answer of ${model.name} is not valid against the schema${cut}: ${problems}`,
      addUsage(first.usage, second.usage),
    );
  }
}

/** Returns the format if the error means that the provider rejected the format. @throws `error` otherwise. */
function refusedBy(format: ResponseFormat, error: unknown): ResponseFormat {
  if (!(error instanceof ResponseFormatRefused) || format.kind === 'text') throw error;
  return format;
}

function outcome(
  read: ReadValue & { valid: true },
  { reasoning, finishReason }: Completion,
  usage: Usage,
): StructuredCompletion {
  return { value: read.value, text: read.text, reasoning, usage, finishReason };
}

/** A refusal is an answer: another call would only be refused again. */
function refusalOf({ text, reasoning, finishReason }: Completion, usage: Usage): StructuredCompletion {
  return { value: text, text, reasoning, usage, finishReason, refused: true };
}

const TEXT: ResponseFormat = { kind: 'text' };
const JSON_MODE: ResponseFormat = { kind: 'json' };

/**
 * Returns the response formats to try, best first. The schema mode requires an object at the root of the schema, and
 * the JSON mode returns objects only. A schema that allows other values needs plain text.
 */
export function formatsFor(schema: JsonSchema): ResponseFormat[] {
  if (typeof schema === 'boolean') return [JSON_MODE, TEXT];
  if (schema['type'] === 'object') return [{ kind: 'schema', schema }, JSON_MODE, TEXT];
  return admitsOnlyObjects(schema) ? [JSON_MODE, TEXT] : [TEXT];
}

function admitsOnlyObjects(schema: Readonly<Record<string, unknown>>): boolean {
  return schema['type'] === undefined && isSchemaObject(schema['properties']);
}

/** Maximum number of refused formats remembered for each model. */
const MAX_REMEMBERED = 256;

/**
 * Remembers the formats that a model has rejected, so that later requests do not begin with a failing call. A schema
 * mode may reject one schema and accept another, so each schema has its own entry.
 */
export class RefusedFormats {
  private readonly byModel = new WeakMap<LanguageModel, LRUCache<string, true>>();

  without(model: LanguageModel, formats: readonly ResponseFormat[]): ResponseFormat[] {
    const refused = this.byModel.get(model);
    return formats.filter((format) => refused?.get(keyOf(format)) !== true);
  }

  /**
   * Remembers rejected formats. Call this only after the model has accepted another format. That shows that the format
   * caused the rejection.
   */
  note(model: LanguageModel, formats: readonly ResponseFormat[]): void {
    if (formats.length === 0) return;
    const refused = this.byModel.get(model) ?? new LRUCache({ max: MAX_REMEMBERED });
    for (const format of formats) refused.set(keyOf(format), true);
    this.byModel.set(model, refused);
  }
}

function keyOf(format: ResponseFormat): string {
  return format.kind === 'schema' ? JSON.stringify(format.schema) : format.kind;
}

const MAX_TOKENS = 2_000;
const WINDOW_SHARE = 1 / 8;
/** Shares of the repair tokens for the invalid answer and for its violations. The rest is for the instructions. */
const ANSWER_SHARE = 0.5;
const PROBLEMS_SHARE = 0.25;

/**
 * Returns the maximum number of tokens that a repair adds to a prompt. The context budget of a prompt reserves these
 * tokens.
 */
export function repairTokens({ contextWindow }: Pick<LanguageModel, 'contextWindow'>): number {
  return Math.min(MAX_TOKENS, Math.floor(contextWindow * WINDOW_SHARE));
}

/**
 * Builds the repair request: the request with the invalid answer and its violations, both truncated to their budget.
 */
export function repairRequest(
  model: LanguageModel,
  request: CompletionRequest,
  answer: string,
  problems: readonly string[],
): CompletionRequest {
  const { tools: _, ...shaped } = request;
  const room = repairTokens(model);
  const shown = beginningOf(answer, room * ANSWER_SHARE, model);
  const listed = problems.map((problem) => `- ${problem}`).join('\n');
  const list = beginningOf(listed, room * PROBLEMS_SHARE, model);
  return {
    ...shaped,
    messages: [
      ...request.messages,
      { role: 'assistant', content: shown === '' ? NO_ANSWER : shown },
      {
        role: 'user',
        content: `That answer is not valid against the JSON Schema:\n${list}\nAnswer again with the corrected JSON value and nothing else.`,
      },
    ],
  };
}
