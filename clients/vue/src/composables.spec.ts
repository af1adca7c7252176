import { LecternClient } from '@lectern/client';
import { effectScope, ref, watch, type EffectScope } from 'vue';
import { useAnswer, useChat, useDocuments, useFacets, useSource, useUpload } from './index.js';

type Handler = (request: Request, body: Record<string, unknown>) => Response | Promise<Response>;

function clientOf(handlers: Readonly<Record<string, Handler>>): LecternClient {
  return new LecternClient({
    url: 'http://lectern.test',
    retry: { retries: 0 },
    fetch: async (request) => {
      const { pathname } = new URL(request.url);
      const handler = handlers[`${request.method} ${pathname}`];
      if (handler === undefined) return Response.json({ detail: `No ${pathname}` }, { status: 404 });
      const isJson = request.headers.get('content-type') === 'application/json';
      return handler(request, isJson ? ((await request.json()) as Record<string, unknown>) : {});
    },
  });
}

const streamOf = (...events: readonly object[]): Response =>
  new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));

const ANSWER = [
  { type: 'assistant', content: 'At dusk.' },
  { type: 'done', usage: {}, finish_reason: 'stop', sources: [], metadata: { message_index: 1 } },
];

/** Resolves when the condition on refs holds. */
function until(isMet: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    watch(
      isMet,
      (met) => {
        if (met) resolve();
      },
      { immediate: true, flush: 'sync' },
    );
  });
}

describe('the composables', () => {
  let scope: EffectScope;
  beforeEach(() => {
    scope = effectScope();
  });
  afterEach(() => {
    scope.stop();
  });
  const within = <T>(use: () => T): T => scope.run(use)!;

  it('stream an answer with the request of the moment', async () => {
    const asked: object[] = [];
    const client = clientOf({
      'POST /query': (_request, body) => {
        asked.push(body);
        return streamOf(...ANSWER);
      },
    });
    const request = ref({ k: 2 });
    const { answer, ask, retry } = within(() => useAnswer(client, request));
    await ask('When is it lit?');
    expect(answer.value).toMatchObject({ state: 'done', text: 'At dusk.' });
    request.value.k = 5;
    await retry();
    expect(asked).toMatchObject([
      { query: 'When is it lit?', k: 2 },
      { query: 'When is it lit?', k: 5 },
    ]);
  });

  it('stop the answer at the end of their scope', async () => {
    const sent = ref<AbortSignal | null>(null);
    const client = clientOf({
      'POST /query': ({ signal }) => {
        sent.value = signal;
        return new Promise(() => undefined);
      },
    });
    const { ask } = within(() => useAnswer(client));
    void ask('When is it lit?');
    await until(() => sent.value !== null);
    scope.stop();
    expect(sent.value?.aborted).toBe(true);
  });

  it('continue another chat when its id changes', async () => {
    const client = clientOf({
      'GET /answers': () => Response.json([]),
      'GET /chat/one': () =>
        Response.json(
          ['When?', 'At dusk.'].map((content, at) => ({ role: ['user', 'assistant'][at], content })),
        ),
      'POST /query': () => streamOf(...ANSWER),
    });
    const options = ref<{ chatId?: string }>({});
    const { chat, ask } = within(() => useChat(client, options));
    await ask('Who lights it?');
    expect(chat.value.exchanges).toMatchObject([{ question: 'Who lights it?', text: 'At dusk.', at: 0 }]);
    options.value = { chatId: 'one' };
    await until(() => chat.value.exchanges[0]?.question === 'When?');
    expect(chat.value).toMatchObject({ chatId: 'one', isLoading: false });
  });

  it('follow documents and filter them', async () => {
    const filters = ref<unknown[]>([]);
    let send: (event: object) => void = () => undefined;
    const client = clientOf({
      'GET /events': ({ signal }) =>
        new Response(
          new ReadableStream({
            start(controller) {
              send = (event) => {
                controller.enqueue(new TextEncoder().encode(`id: 1\ndata: ${JSON.stringify(event)}\n\n`));
              };
              signal.addEventListener('abort', () => {
                controller.error(signal.reason);
              });
              send({ type: 'stream.ready', timestamp: '' });
            },
          }),
        ),
      'POST /documents': (_request, body) => {
        filters.value.push(body['filters']);
        const system_metadata = { status: 'processing', progress: { step_name: 'parsing', percentage: 10 } };
        const documents = [{ external_id: 'one', filename: 'lamp.txt', metadata: {}, system_metadata }];
        return Response.json({ documents, total_count: 1 });
      },
    });
    const options = ref({ filters: {} });
    const { list } = within(() => useDocuments(client, options));
    await until(() => list.value.isLive && list.value.documents.length === 1);
    send({
      type: 'document.progress',
      timestamp: '',
      data: { document_id: 'one', progress: { step: 'embedding', percentage: 60 } },
    });
    await until(() => list.value.documents[0]?.progress?.percentage === 60);
    send({ type: 'document.deleted', timestamp: '', data: { document_id: 'one' } });
    await until(() => list.value.documents.length === 0);
    options.value = { filters: { department: 'heating' } };
    await until(() => filters.value.some((one) => JSON.stringify(one) === '{"department":"heating"}'));
  });

  it('count facets without the choice of their own field', async () => {
    const counted: Record<string, string | null> = {};
    const values =
      (name: string): Handler =>
      ({ url }) => {
        counted[name] = new URL(url).searchParams.get('filters');
        return Response.json({ values: [{ value: name, count: 1 }] });
      };
    const client = clientOf({
      'GET /metadata/fields/year/values': values('year'),
      'GET /metadata/fields/kind/values': values('kind'),
    });
    const options = { fields: ['year', 'kind'], filters: { public: true } };
    const { facets, toggle } = within(() => useFacets(client, options));
    await until(() => !facets.value.isLoading);
    toggle('year', 'year');
    await until(() => !facets.value.isLoading);
    expect(facets.value.filters).toEqual({ $and: [{ public: true }, { year: { $in: ['year'] } }] });
    expect(facets.value.facets[0]).toMatchObject({ name: 'year', values: [{ isChosen: true, count: 1 }] });
    expect(counted).toEqual({
      year: '{"public":true}',
      kind: '{"$and":[{"public":true},{"year":{"$in":["year"]}}]}',
    });
    toggle('year', 'year');
    expect(facets.value.filters).toEqual({ public: true });
  });

  it('send a file again with the key of its first attempt', async () => {
    const keys: (string | null)[] = [];
    const client = clientOf({
      'POST /ingest/file': ({ headers }) => {
        keys.push(headers.get('idempotency-key'));
        if (keys.length === 1) throw new TypeError('the connection was lost');
        return Response.json({ external_id: 'one' });
      },
      'GET /documents/one/status': () => Response.json({ status: 'completed' }),
    });
    const { uploads, add, retry } = within(() => useUpload(client));
    add([new File(['lit'], 'lamp.txt')]);
    await until(() => uploads.value.uploads[0]?.state === 'failed');
    retry(uploads.value.uploads[0]!.key);
    await until(() => uploads.value.uploads[0]?.state === 'completed');
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it('upload files, and show sources as text where there is no page', async () => {
    const client = clientOf({
      'POST /ingest/file': () => Response.json({ external_id: 'one' }),
      'GET /documents/one/status': () => Response.json({ status: 'completed' }),
      'POST /batch/chunks': () => Response.json([{ content: 'The lamp is lit at dusk.' }]),
    });
    const { uploads, add } = within(() => useUpload(client));
    add([new File(['lit'], 'lamp.txt')]);
    await until(() => uploads.value.uploads[0]?.state === 'completed');
    const place = {
      document_id: 'one',
      chunk_number: 0,
      filename: 'lamp.txt',
      page_number: null,
      quote: 'at dusk',
    };
    const source = within(() => useSource(client, () => place));
    await until(() => source.value.text !== null);
    expect(source.value.text).toEqual([
      { text: 'The lamp is lit ', isMarked: false },
      { text: 'at dusk', isMarked: true },
      { text: '.', isMarked: false },
    ]);
  });
});
