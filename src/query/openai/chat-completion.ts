import { printJson } from '../../json/exact-json.js';
import type { CompletionResponse, CompletionUsage } from '../query.types.js';
import type { StreamEvent } from '../stream-event.js';

/** What the parts of one answer have in common. */
export interface CompletionStamp {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
}

/** The answer as the OpenAI protocol has it, with `sources` and `metadata` beside. */
export function chatCompletion(stamp: CompletionStamp, response: CompletionResponse): object {
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
    metadata,
  };
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
export async function* chatCompletionChunks(
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
    yield chunk(stamp, {}, finish_reason ?? 'stop', { sources, metadata });
    if (includeUsage) yield usageChunk(stamp, usage);
  }
}

function usageChunk(stamp: CompletionStamp, usage: CompletionUsage): object {
  return { ...stamp, object: 'chat.completion.chunk', choices: [], usage };
}
