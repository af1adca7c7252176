import type {
  ChatCompletionContentPart,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import { hasVisibleText } from '#reader';
import type {
  ChatMessage,
  CompletionRequest,
  FunctionTool,
  ResponseFormat,
  ToolUse,
  Usage,
} from './language-model.js';
import type { ModelSettings } from './model-settings.js';
import { NO_ANSWER } from './prompt-parts.js';
import { isSchemaObject, subschemasOf } from './structured/json-schema.js';

/**
 * Names of OpenAI's models that require `max_completion_tokens` and reject `max_tokens`. Other models do not support
 * `max_completion_tokens`.
 */
const TAKES_COMPLETION_TOKENS = /^(?:o\d|gpt-(?:[5-9]|\d\d))/;

/** Builds the request body of a chat completion. Omits parameters without a value. */
export function wireRequest(
  settings: ModelSettings,
  request: CompletionRequest,
): ChatCompletionCreateParamsNonStreaming {
  const { sampling, provider, name } = settings;
  const ownNames = provider === 'openai' || provider === 'azure';
  const cap = ownNames && TAKES_COMPLETION_TOKENS.test(name) ? 'max_completion_tokens' : 'max_tokens';
  const { stop, reasoning_effort: effort, ...numbers } = sampling;
  return {
    model: name,
    messages: request.messages.map(wireMessage),
    ...numbers,
    ...(stop === undefined ? {} : { stop: typeof stop === 'string' ? stop : [...stop] }),
    // Passed through unchecked, because servers support more values than the type of the client library allows.
    ...(effort === undefined ? {} : ({ reasoning_effort: effort } as object)),
    ...(request.temperature === null ? {} : { temperature: request.temperature }),
    ...(request.maxTokens === null ? {} : { [cap]: request.maxTokens }),
    ...wireFormat(request.format),
    ...(request.tools === undefined ? {} : wireTools(request.tools)),
  };
}

function wireTools({
  functions,
  choice,
  parallel,
}: ToolUse): Pick<ChatCompletionCreateParamsNonStreaming, 'tools' | 'tool_choice' | 'parallel_tool_calls'> {
  return {
    tools: functions.map(wireFunction),
    ...(choice === null ? {} : { tool_choice: choice }),
    ...(parallel === null ? {} : { parallel_tool_calls: parallel }),
  };
}

function wireFunction({ name, description, parameters, strict }: FunctionTool): ChatCompletionTool {
  return {
    type: 'function',
    function: {
      name,
      ...(description === null ? {} : { description }),
      ...(parameters === null ? {} : { parameters: { ...parameters } }),
      ...(strict === null ? {} : { strict }),
    },
  };
}

function wireMessage({ role, content, toolCalls, toolCallId }: ChatMessage): ChatCompletionMessageParam {
  if (role === 'user')
    return { role, content: typeof content === 'string' ? content : content.map(wirePart) };
  const text = typeof content === 'string' ? content : content.flatMap(textOf).join('');
  if (role === 'tool') return { role, content: text, tool_call_id: toolCallId ?? '' };
  if (role === 'system') return { role, content: text };
  // Many providers reject a request with an empty turn of the assistant, which would end the conversation for good.
  if (toolCalls === undefined) return { role, content: isBlank(text) ? NO_ANSWER : text };
  return {
    role,
    content: isBlank(text) ? null : text,
    tool_calls: toolCalls.map(({ id, ...called }) => ({ id, type: 'function', function: called })),
  };
}

function isBlank(text: string): boolean {
  return !hasVisibleText(text);
}

function textOf(part: Exclude<ChatMessage['content'], string>[number]): string[] {
  return part.type === 'text' ? [part.text] : [];
}

function wirePart(part: Exclude<ChatMessage['content'], string>[number]): ChatCompletionContentPart {
  return part.type === 'text'
    ? { type: 'text', text: part.text }
    : { type: 'image_url', image_url: { url: part.dataUri } };
}

function wireFormat(
  format: ResponseFormat,
): Pick<ChatCompletionCreateParamsNonStreaming, 'response_format'> | Record<string, never> {
  if (format.kind === 'text') return {};
  if (format.kind === 'json' || typeof format.schema === 'boolean')
    return { response_format: { type: 'json_object' } };
  const schema = { ...format.schema };
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'answer', schema, strict: isStrictSchema(schema) },
    },
  };
}

/** Keywords that OpenAI's strict mode supports. Any other keyword makes OpenAI reject the request. */
const STRICT_KEYWORDS = new Set([
  '$schema',
  '$defs',
  '$ref',
  'title',
  'description',
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  'definitions',
]);

/**
 * Tests whether OpenAI's strict mode accepts a schema: every object is closed, every property is required, every
 * keyword is supported. Other schemas are sent with `strict: false`.
 */
function isStrictSchema(schema: Readonly<Record<string, unknown>>): boolean {
  if (Object.keys(schema).some((keyword) => !STRICT_KEYWORDS.has(keyword))) return false;
  const properties = isSchemaObject(schema['properties']) ? schema['properties'] : undefined;
  const isObject = schema['type'] === 'object' || properties !== undefined;
  if (isObject && !isClosed(schema, properties ?? {})) return false;
  return subschemasOf({ path: [], schema }).every((child) => isStrictSchema(child.schema));
}

function isClosed(
  schema: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, unknown>>,
): boolean {
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  return (
    schema['additionalProperties'] === false &&
    Object.keys(properties).every((name) => required.includes(name))
  );
}

/** The fields of a provider's answer after validation. Providers may omit any of these fields. */
export interface WireAnswer {
  readonly text: string;
  /** Reasoning from a separate field of the answer. */
  readonly reasoning: string;
  readonly refused: boolean;
  readonly calls: readonly WireCall[];
  readonly finishReason: string | null;
  readonly usage: Usage | null;
}

/** A tool call or a fragment of one. Providers may omit the index and the id. */
export interface WireCall {
  readonly index?: number;
  readonly id?: string;
  readonly name?: string;
  readonly arguments: string;
}

/** Reads a chat completion; null when the value is not a chat completion. */
export function readAnswer(answer: unknown): WireAnswer | null {
  const choice = firstChoice(answer);
  const message = choice === undefined ? undefined : member(choice, 'message');
  if (!isObject(message)) return null;
  const content = readContent(member(message, 'content'));
  if (content === null) return null;
  const refusal = member(message, 'refusal');
  const refused = typeof refusal === 'string' && refusal !== '' && content.text === '';
  return {
    text: refused ? refusal : content.text,
    reasoning: reasoningOf(message) + content.reasoning,
    refused,
    calls: readCalls(member(message, 'tool_calls')),
    finishReason: finishReasonOf(choice),
    usage: readUsage(member(answer, 'usage')),
  };
}

/** Reads a chunk of a stream. The text of a chunk without choices is empty. The chunk with the usage is one. */
export function readChunk(chunk: unknown): WireAnswer {
  const choice = firstChoice(chunk);
  const delta = choice === undefined ? undefined : member(choice, 'delta');
  const content = readContent(member(delta, 'content')) ?? NO_CONTENT;
  const refusal = member(delta, 'refusal');
  const refused = typeof refusal === 'string' && refusal !== '' && content.text === '';
  return {
    text: refused ? refusal : content.text,
    reasoning: reasoningOf(delta) + content.reasoning,
    refused,
    calls: readCalls(member(delta, 'tool_calls')),
    finishReason: finishReasonOf(choice),
    usage: readUsage(member(chunk, 'usage')),
  };
}

interface Content {
  readonly text: string;
  readonly reasoning: string;
}

const NO_CONTENT: Content = { text: '', reasoning: '' };

/** Reads `content` of a message or a delta: a string or parts; null for any other type. */
function readContent(content: unknown): Content | null {
  if (content === null || content === undefined) return NO_CONTENT;
  if (typeof content === 'string') return { text: content, reasoning: '' };
  if (!Array.isArray(content)) return null;
  const parts = content.map(readPart);
  return {
    text: parts.map(({ text }) => text).join(''),
    reasoning: parts.map(({ reasoning }) => reasoning).join(''),
  };
}

/** Mistral sends reasoning as text parts inside a part of type `thinking`. */
function readPart(part: unknown): Content {
  const thinking = member(part, 'thinking');
  if (typeof thinking === 'string') return { text: '', reasoning: thinking };
  if (Array.isArray(thinking)) return { text: '', reasoning: thinking.map(textIn).join('') };
  return member(part, 'type') === 'reasoning'
    ? { text: '', reasoning: textIn(part) }
    : { text: textIn(part), reasoning: '' };
}

function textIn(part: unknown): string {
  const text = typeof part === 'string' ? part : member(part, 'text');
  return typeof text === 'string' ? text : '';
}

/** DeepSeek and vLLM send `reasoning_content`, Ollama and OpenRouter `reasoning`, and some servers both. */
function reasoningOf(message: unknown): string {
  const fields = [member(message, 'reasoning_content'), member(message, 'reasoning')];
  return fields.find((field): field is string => typeof field === 'string' && field !== '') ?? '';
}

/** Reads tool calls or their fragments. Some providers send arguments as an object. */
function readCalls(calls: unknown): WireCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.map((call: unknown) => {
    const [index, id, called] = [member(call, 'index'), member(call, 'id'), member(call, 'function')];
    const [name, given] = [member(called, 'name'), member(called, 'arguments') ?? ''];
    return {
      ...(isCount(index) ? { index } : {}),
      ...(typeof id === 'string' && id !== '' ? { id } : {}),
      ...(typeof name === 'string' && name !== '' ? { name } : {}),
      arguments: typeof given === 'string' ? given : JSON.stringify(given),
    };
  });
}

function firstChoice(answer: unknown): Readonly<Record<string, unknown>> | undefined {
  const choices = member(answer, 'choices');
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(choice) ? choice : undefined;
}

function finishReasonOf(choice: unknown): string | null {
  const reason = member(choice, 'finish_reason');
  return typeof reason === 'string' ? reason : null;
}

function readUsage(usage: unknown): Usage | null {
  const promptTokens = member(usage, 'prompt_tokens');
  const completionTokens = member(usage, 'completion_tokens');
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}
