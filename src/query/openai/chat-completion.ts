import type { FastifyRequest } from 'fastify';
import { describeError } from '../../http/error.filter.js';
import { openAiError } from '../../http/error.filter.js';
import { ClientGone } from '../../http/request-signal.js';
import { TextEvent } from '../../http/sse.js';
import { printJson } from '../../json/exact-json.js';
import type { CompletionDto } from '../query-response.dto.js';
import type { StreamEvent } from '../query.types.js';

/** What the parts of one answer have in common. */
export interface CompletionStamp {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
}

/** The answer as the OpenAI protocol has it, with `sources` and `metadata` beside. */
export function chatCompletion(stamp: CompletionStamp, response: CompletionDto): object {
  const { completion, usage, finish_reason, sources, metadata } = response;
  const content = typeof completion === 'string' ? completion : printJson(completion);
  return {
    ...stamp,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null },
        logprobs: null,
        finish_reason: finish_reason ?? 'stop',
      },
    ],
    usage,
    sources,
    metadata: inStrings(metadata),
  };
}

/** Clients of the protocol know `metadata` as strings: any other value is JSON in one. */
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

/** The events of a stream as chunks of the OpenAI protocol, without the `[DONE]` that ends them. */
async function* chatCompletionChunks(
  stamp: CompletionStamp,
  events: AsyncIterable<StreamEvent>,
  includeUsage: boolean,
): AsyncGenerator<object> {
  let begun = false;
  for await (const event of events) {
    if (!begun) yield chunk(stamp, { role: 'assistant', content: '' }, null);
    begun = true;
    if (event.type === 'assistant') {
      yield chunk(stamp, { content: event.content }, null);
      continue;
    }
    const { finish_reason, sources, metadata, usage } = event;
    yield chunk(stamp, {}, finish_reason ?? 'stop', { sources, metadata: inStrings(metadata) });
    if (includeUsage) yield usageChunk(stamp, usage);
  }
}

function usageChunk(stamp: CompletionStamp, usage: CompletionDto['usage']): object {
  return { ...stamp, object: 'chat.completion.chunk', choices: [], usage };
}

/**
 * What is sent of a stream: chunks and `[DONE]`. A failure after the first chunk is an event with `error`, as the
 * clients of the protocol expect it; one before it is thrown.
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
