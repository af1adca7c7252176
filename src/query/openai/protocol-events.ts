import type { FastifyRequest } from 'fastify';
import { describeError } from '../../http/describe-error.js';
import { openAiError } from '../../http/openai-error.js';
import { ClientGone } from '../../http/request-signal.js';
import { TextEvent } from '../../http/sse.js';
import type { StreamEvent } from '../stream-event.js';
import { chatCompletionChunks, type CompletionStamp } from './chat-completion.js';

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
