import type { UIMessageChunk } from 'ai';
import { readableOf } from './readable-of.js';
import type { Completion, CompletionEvent } from './types.js';

/** Members of a source part at `providerMetadata.lectern`. */
export interface SourceMetadata {
  readonly document_id: string;
  readonly chunk_number: number;
  /** From 1; null if the document has no pages. */
  readonly page_number: number | null;
  /** The supporting sentence; null for a source that the text does not cite. */
  readonly quote: string | null;
}

const TEXT = 'answer';
/** The protocol wants a media type; sources do not have one. */
const ANY_TYPE = 'application/octet-stream';

/**
 * Turns an answer into a UI message stream of the AI SDK: text, then a `source-document` part for each citation, or for
 * each source if the text cites none. A failure becomes an `error` part. Cancelling the stream stops the answer.
 *
 * @example
 * const stream = toUIMessageStream(client.queryStream({ query, inline_citations: true }));
 * return createUIMessageStreamResponse({ stream });
 */
export function toUIMessageStream(
  events: AsyncGenerator<CompletionEvent, void, undefined>,
): ReadableStream<UIMessageChunk> {
  return readableOf(chunksOf(events), events);
}

async function* chunksOf(
  events: AsyncGenerator<CompletionEvent, void, undefined>,
): AsyncGenerator<UIMessageChunk, void, undefined> {
  yield { type: 'start' };
  yield { type: 'text-start', id: TEXT };
  try {
    for await (const event of events) {
      if (event.type === 'assistant') yield { type: 'text-delta', id: TEXT, delta: event.content };
      if (event.type !== 'done') continue;
      yield { type: 'text-end', id: TEXT };
      yield* sourcesOf(event);
      yield { type: 'finish' };
    }
  } catch (error) {
    yield { type: 'error', errorText: error instanceof Error ? error.message : String(error) };
  }
}

function* sourcesOf({
  sources,
  metadata,
}: Pick<Completion, 'sources' | 'metadata'>): Generator<UIMessageChunk, void, undefined> {
  const citations = metadata?.citations ?? [];
  const shown = citations.length > 0 ? citations : sources.map((source) => ({ ...source, quote: null }));
  for (const [place, { document_id, chunk_number, page_number, filename, quote }] of shown.entries()) {
    const lectern = { document_id, chunk_number, page_number, quote };
    yield {
      type: 'source-document',
      sourceId: String(place + 1),
      mediaType: ANY_TYPE,
      title: `${filename ?? document_id}${page_number === null ? '' : `, page ${page_number}`}`,
      ...(filename === null ? {} : { filename }),
      providerMetadata: { lectern: lectern satisfies SourceMetadata },
    };
  }
}
