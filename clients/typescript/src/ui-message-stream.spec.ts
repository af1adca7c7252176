import { readUIMessageStream, type UIMessage } from 'ai';
import { toUIMessageStream } from './ai.js';
import type { CompletionEvent } from './index.js';

const SOURCE = {
  document_id: 'one',
  chunk_number: 3,
  score: 0.8,
  filename: 'report.pdf',
  page_number: 2,
  is_image: false,
  excerpt: 'The mirror cost 48,600.',
};
const CITATION = {
  start: 10,
  end: 30,
  document_id: 'one',
  chunk_number: 3,
  filename: 'report.pdf',
  page_number: 2,
  quote: 'The mirror cost 48,600.',
};

function done(citations: readonly object[]): CompletionEvent {
  const metadata = { model: 'm', provider: 'p', citations } as unknown as NonNullable<
    (CompletionEvent & { type: 'done' })['metadata']
  >;
  return { type: 'done', usage: {}, finish_reason: 'stop', sources: [SOURCE], metadata };
}

/** The message as a page of the AI SDK shows it at the end. */
async function messageOf(
  events: AsyncGenerator<CompletionEvent, void, undefined>,
): Promise<{ message: UIMessage | undefined; errors: unknown[] }> {
  const errors: unknown[] = [];
  let message: UIMessage | undefined;
  const onError = (error: unknown): number => errors.push(error);
  for await (const state of readUIMessageStream({ stream: toUIMessageStream(events), onError }))
    message = state;
  return { message, errors };
}

async function* streamOf(
  ...events: readonly CompletionEvent[]
): AsyncGenerator<CompletionEvent, void, undefined> {
  for (const event of events) yield await Promise.resolve(event);
}

const DELTAS = [
  { type: 'assistant', content: 'It cost ' },
  { type: 'assistant', content: '48,600.' },
] as const;

describe('an answer as a UI message stream of the AI SDK', () => {
  it('is a message with a text, and with the page and quote of each citation', async () => {
    const { message, errors } = await messageOf(streamOf(...DELTAS, done([CITATION])));
    expect(errors).toEqual([]);
    expect(message?.parts).toMatchObject([
      { type: 'text', text: 'It cost 48,600.', state: 'done' },
      {
        type: 'source-document',
        title: 'report.pdf, page 2',
        filename: 'report.pdf',
        providerMetadata: {
          lectern: { document_id: 'one', chunk_number: 3, page_number: 2, quote: 'The mirror cost 48,600.' },
        },
      },
    ]);
  });

  it('has the sources if the text cites none', async () => {
    const { message } = await messageOf(streamOf(...DELTAS, done([])));
    expect(message?.parts[1]).toMatchObject({
      type: 'source-document',
      providerMetadata: { lectern: { page_number: 2, quote: null } },
    });
  });

  it('tells of a failure, and keeps the text', async () => {
    const { message, errors } = await messageOf(
      (async function* () {
        yield await Promise.resolve(DELTAS[0]);
        throw new Error('The model broke off');
      })(),
    );
    expect(message?.parts).toMatchObject([{ type: 'text', text: 'It cost ' }]);
    expect(errors).toEqual([new Error('The model broke off')]);
  });

  it('stops the answer when it is cancelled', async () => {
    let isStopped = false;
    const events = (async function* (): AsyncGenerator<CompletionEvent, void, undefined> {
      try {
        for (;;) yield await Promise.resolve(DELTAS[0]);
      } finally {
        isStopped = true;
      }
    })();
    const reader = toUIMessageStream(events).getReader();
    for (let read = 0; read < 4; read += 1) await reader.read();
    await reader.cancel();
    expect(isStopped).toBe(true);
  });
});
