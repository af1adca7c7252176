import type { FastifyRequest } from 'fastify';
import { describeError } from '../../http/describe-error.js';
import { openAiError } from '../../http/openai-error.js';
import { ClientGone } from '../../http/request-signal.js';
import { TextEvent } from '../../http/event-text.js';
import { printJson } from '../../json/exact-json.js';
import type { ToolCall, ToolCallDelta } from '../../models/llm/language-model.js';
import type { CompletionDto } from '../../query/query-response.dto.js';
import type { Completed, StreamEvent } from '../../query/query.types.js';

/** Fields common to all chunks of one response. */
export interface CompletionStamp {
  readonly id: string;
  /** Unix time in seconds. */
  readonly created: number;
  readonly model: string;
}

/** The response in the OpenAI format, extended with `sources` and `metadata`. */
export function chatCompletion(
  stamp: CompletionStamp,
  response: Completed,
  includeReasoning: boolean,
): object {
  const { completion, usage, sources, tool_calls: calls = [] } = response;
  const { reasoning, ...metadata } = response.metadata;
  const shown = includeReasoning && reasoning !== undefined ? { reasoning_content: reasoning } : {};
  const content = typeof completion === 'string' ? completion : printJson(completion);
  const said =
    metadata.refused === true
      ? { content: null, refusal: content }
      : { content: content === '' && calls.length > 0 ? null : content, refusal: null };
  return {
    ...stamp,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message:
          calls.length === 0
            ? { role: 'assistant', ...said, ...shown }
            : { role: 'assistant', ...said, ...shown, tool_calls: calls.map(toolCall) },
        logprobs: null,
        finish_reason: finishReasonOf(response),
      },
    ],
    usage,
    sources,
    metadata: inStrings(metadata),
  };
}

/**
 * The finish reason of a response. With calls it is `tool_calls`, even if the provider sent another reason, because
 * clients execute calls only for the reason `tool_calls`. For a truncated answer it remains `length`, so that clients
 * do not execute incomplete calls.
 */
function finishReasonOf({ finish_reason: given, tool_calls: calls }: Omit<Completed, 'completion'>): string {
  return calls === undefined || given === 'length' ? (given ?? 'stop') : 'tool_calls';
}

function toolCall({ id, name, arguments: given }: ToolCall): object {
  return { id, type: 'function', function: { name, arguments: given } };
}

/** A piece of a call in a stream. Only the first piece contains the name and the type. */
function toolCallDelta({ index, id, name, arguments: piece }: ToolCallDelta): object {
  const begins = name === undefined ? {} : { type: 'function' };
  return {
    index,
    ...(id === undefined ? {} : { id }),
    ...begins,
    function: { ...(name === undefined ? {} : { name }), arguments: piece },
  };
}

/**
 * Converts the values of `metadata` to strings, because clients of the protocol expect strings. Values of other types
 * become JSON.
 */
function inStrings(metadata: object): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : printJson(value),
    ]),
  );
}

function chunk(
  stamp: CompletionStamp,
  delta: object,
  finishReason: string | null,
  more: object = {},
): object {
  return {
    ...stamp,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...more,
  };
}

/** Converts a stream to chunks of the OpenAI protocol, without the final `[DONE]`. */
async function* chatCompletionChunks(
  stamp: CompletionStamp,
  events: AsyncIterable<StreamEvent>,
  includeUsage: boolean,
): AsyncGenerator<object> {
  let begun = false;
  for await (const event of events) {
    // The last chunk contains the sources. Answers of this protocol end with their connection, and are not stopped.
    if (event.type === 'sources' || event.type === 'stopped') continue;
    if (!begun) yield chunk(stamp, { role: 'assistant', content: '' }, null);
    begun = true;
    if (event.type === 'assistant') {
      const { content, refused } = event;
      yield chunk(stamp, refused === true ? { refusal: content } : { content }, null);
      continue;
    }
    if (event.type === 'reasoning') {
      yield chunk(stamp, { reasoning_content: event.content }, null);
      continue;
    }
    if (event.type === 'calls') {
      yield chunk(stamp, { tool_calls: event.deltas.map(toolCallDelta) }, null);
      continue;
    }
    const { sources, usage } = event;
    const { reasoning: _, ...metadata } = event.metadata;
    yield chunk(stamp, {}, finishReasonOf(event), { sources, metadata: inStrings(metadata) });
    if (includeUsage) yield usageChunk(stamp, usage);
  }
}

function usageChunk(stamp: CompletionStamp, usage: CompletionDto['usage']): object {
  return { ...stamp, object: 'chat.completion.chunk', choices: [], usage };
}

/**
 * Yields the events of a response: chunks of the completion, then `[DONE]`. A failure after the first chunk becomes an
 * event with `error`; an earlier failure is thrown.
 */
export async function* protocolEvents(
  stamp: CompletionStamp,
  events: AsyncIterable<StreamEvent>,
  includeUsage: boolean,
  request: FastifyRequest,
): AsyncGenerator<object> {
  let begun = false;
  try {
    for await (const chunk of chatCompletionChunks(stamp, events, includeUsage)) {
      yield chunk;
      begun = true;
    }
  } catch (error) {
    if (!begun || error instanceof ClientGone) throw error;
    const description = describeError(error, request.id);
    if (description.status >= 500) request.log.error({ err: error }, 'stream failed');
    yield { error: openAiError(description) };
    return;
  }
  yield new TextEvent('[DONE]');
}
