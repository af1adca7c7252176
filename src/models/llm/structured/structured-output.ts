import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProviderFailed } from '../../../errors/index.js';
import {
  addUsage,
  type Completion,
  type CompletionEvent,
  type CompletionRequest,
  joinToolCalls,
  type LanguageModel,
  type ResponseFormat,
  ResponseFormatRefused,
  type ToolCall,
  type ToolCallDelta,
  type Usage,
} from '../language-model.js';
import { JoinedPieces } from '../reasoning/reasoning-splitter.js';
import type { CompiledSchema } from './compile-schema.js';
import { isSchemaObject, type JsonSchema } from './json-schema.js';
import { parseJson } from '../../../json/exact-json.js';
import { repairedJson } from './repair-json.js';

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
      const calls: ToolCallDelta[] = [];
      let end: Extract<CompletionEvent, { type: 'end' }> | undefined;
      try {
        for await (const event of model.stream(formatted)) {
          if (event.type === 'end') {
            end = event;
            continue;
          }
          if (event.type === 'calls') calls.push(...event.deltas);
          else written.add(event);
          yield event;
        }
      } catch (error) {
        refusing.push(refusedBy(format, error));
        continue;
      }
      this.refused.note(model, refusing);
      if (end === undefined) throw new ProviderFailed(`The stream of ${model.name} broke off`);
      const { text } = written;
      const reasoning = written.reasoning.trim();
      const first = {
        ...end,
        text,
        reasoning,
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
    const read = readValue(first.text, schema);
    if (read.valid) return outcome(read, first, first.usage);
    const second = await model.complete(repairRequest(model, request, first.text, read.problems));
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
   * Remembers rejected formats. Must be called only after another format was accepted, which shows that the format
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
  const shown = within(room * ANSWER_SHARE, answer, model);
  const list = within(room * PROBLEMS_SHARE, problems.map((problem) => `- ${problem}`).join('\n'), model);
  return {
    ...shaped,
    messages: [
      ...request.messages,
      { role: 'assistant', content: shown === '' ? '(no answer)' : shown },
      {
        role: 'user',
        content: `That answer is not valid against the JSON Schema:\n${list}\nAnswer again with the corrected JSON value and nothing else.`,
      },
    ],
  };
}

/** Maximum length of a token in characters, with rare exceptions. */
const MAX_TOKEN_LENGTH = 20;

/** Truncates a text to a number of tokens. */
function within(tokens: number, text: string, model: LanguageModel): string {
  let shown = text.slice(0, Math.ceil(tokens * MAX_TOKEN_LENGTH));
  for (let count = model.countTokens(shown); count > tokens; count = model.countTokens(shown)) {
    shown = shown.slice(0, Math.floor(shown.length * Math.min(0.9, tokens / count)));
  }
  return shown.length === text.length ? text : shown.replace(/[\uD800-\uDBFF]$/, '');
}

/** A JSON value found in a text. */
interface FoundJson {
  /** Result of `JSON.parse`, for validation. */
  readonly plain: unknown;
  /** The value with exact numbers. */
  readonly exact: unknown;
  /** The JSON text of the value. */
  readonly source: string;
}

const FENCE = /```[\w-]*[^\S\n]*\n([\s\S]*?)```/g;
/** Maximum number of brackets that are tried as the start of a value. A text with more brackets is not an answer. */
const MAX_STARTS = 50;

/**
 * Yields JSON values in a model's text, most probable first: the whole text, the contents of code fences, and objects
 * and arrays inside prose.
 */
function* jsonIn(text: string): Generator<FoundJson> {
  for (const candidate of [text, ...fencesIn(text)]) yield* parsed(candidate);
  for (const embedded of embeddedValues(text)) yield* parsed(embedded);
}

function fencesIn(text: string): string[] {
  return Array.from(text.matchAll(FENCE), ([, inside = '']) => inside);
}

function* parsed(source: string): Generator<FoundJson> {
  const trimmed = source.trim();
  if (trimmed === '') return;
  try {
    yield { plain: JSON.parse(trimmed) as unknown, exact: parseJson(trimmed), source: trimmed };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Yields balanced `{...}` and `[...]` in prose, outermost first. Ignores brackets inside strings. */
function* embeddedValues(text: string): Generator<string> {
  let starts = 0;
  for (let at = nextOpening(text, 0); at !== -1 && starts < MAX_STARTS; starts += 1) {
    const end = endOfValue(text, at);
    if (end !== -1) yield text.slice(at, end);
    at = nextOpening(text, end === -1 ? at + 1 : end);
  }
}

function nextOpening(text: string, from: number): number {
  const offset = text.slice(from).search(/[{[]/);
  return offset === -1 ? -1 : from + offset;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  const tokens = /"(?:[^"\\]|\\.)*"|[{}[\]]/gs;
  tokens.lastIndex = start;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    if (match[0] === '{' || match[0] === '[') depth += 1;
    else if (match[0] === '}' || match[0] === ']') depth -= 1;
    if (depth === 0) return tokens.lastIndex;
  }
  return -1;
}

function* valuesIn(text: string): Generator<FoundJson> {
  let isJson = false;
  for (const found of jsonIn(text)) {
    isJson = true;
    yield found;
  }
  if (isJson) return;
  for (const repaired of repairedJson([...fencesIn(text), text])) yield* parsed(repaired);
}

export type ReadValue =
  | { readonly valid: true; readonly value: unknown; readonly text: string }
  | { readonly valid: false; readonly problems: readonly string[] };

/**
 * Returns the first valid value in a model's text, or the violations of the most probable candidate. The syntax is
 * repaired only if the text contains no well-formed JSON.
 */
export function readValue(text: string, schema: CompiledSchema): ReadValue {
  let problems: readonly string[] | undefined;
  for (const found of valuesIn(text)) {
    const wrong = schema.problemsOf(found.plain);
    if (wrong.length === 0) return { valid: true, value: found.exact, text: found.source };
    problems ??= wrong;
  }
  return { valid: false, problems: problems ?? ['the answer is not valid JSON'] };
}
