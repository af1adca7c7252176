import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { lecternSearch } from '../../clients/typescript/src/ai.js';
import {
  LecternClient,
  LecternError,
  type CompletionEvent,
  type DocumentStatus,
  type UploadProgress,
} from '../../clients/typescript/src/index.js';
import { LecternRetriever } from '../../clients/typescript/src/langchain.js';
import { settledHealth } from '../support/health.js';
import { SharedService } from '../support/shared-service.js';

const LAMP = 'The harbour lamp is lit at dusk. Its keeper is relieved every Tuesday at noon.';

describe('the TypeScript client', () => {
  let service: SharedService;
  let client: LecternClient;
  let lamp: string;
  beforeAll(async () => {
    service = await SharedService.enter();
    client = new LecternClient({ url: service.url, key: service.adminKey });
    const record = await client.ingestText({
      content: LAMP,
      filename: 'lamp.txt',
      folder_name: '/harbour',
      metadata: { kind: 'log' },
    });
    lamp = record.external_id;
    await client.wait(lamp);
  });
  afterAll(() => service.stop());

  async function thrown(work: Promise<unknown>): Promise<unknown> {
    return work.then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  it('lists fields and values of metadata', async () => {
    expect(await client.metadata.fields({ prefix: 'ki' })).toMatchObject({
      fields: [{ name: 'kind', types: [{ type: 'string' }] }],
      is_complete: true,
    });
    const filters = { external_id: lamp };
    expect((await client.metadata.values('kind', { filters })).values).toEqual([{ value: 'log', count: 1 }]);
  });

  it('ingests a file with progress, and waits for it', async () => {
    const progress: UploadProgress[] = [];
    const statuses: DocumentStatus['status'][] = [];
    const text = `# Ferry\n\n${'The ferry to Torvig leaves at nine. '.repeat(4_000)}`;
    const { external_id: id } = await client.ingestFile(new Blob([text]), {
      filename: 'ferry — ü.md',
      metadata: { kind: 'timetable' },
      folder_name: '/harbour/ferries',
      onProgress: (step) => progress.push(step),
    });
    expect(progress.at(-1)).toEqual({ sent: text.length, total: text.length });
    const status = await client.wait(id, { onStatus: (seen) => statuses.push(seen.status) });
    expect(status).toMatchObject({ document_id: id, status: 'completed', filename: 'ferry — ü.md' });
    expect(statuses.at(-1)).toBe('completed');
    const record = await client.get(id);
    expect(record).toMatchObject({ folder_path: '/harbour/ferries', metadata: { kind: 'timetable' } });
    await client.delete(id);
    await expect(thrown(client.status(id))).resolves.toMatchObject({ status: 404 });
  });

  it('reports why a document failed', async () => {
    const { external_id: id } = await client.ingestFile(new Blob(['%PDF-1.7 broken']), {
      filename: 'broken.pdf',
    });
    const error = await thrown(client.wait(id));
    expect(error).toMatchObject({ name: 'IngestionError', documentId: id });
    expect((error as { detail: string }).detail).toBe((await client.status(id)).error);
    await client.delete(id);
  });

  it('retrieves chunks, groups and documents', async () => {
    const request = { query: 'When is the keeper relieved?', filters: { kind: 'log' }, k: 2 };
    const chunks = await client.retrieve(request);
    expect(chunks.map(({ document_id, content }) => [document_id, content])).toEqual([[lamp, LAMP]]);
    const { groups, total_results } = await client.retrieveGrouped(request);
    expect([groups[0]?.main_chunk, total_results]).toEqual([chunks[0], 1]);
    const [best] = await client.retrieveDocs(request);
    expect(best).toMatchObject({ document_id: lamp, content: { value: LAMP } });
    expect(await client.retrieve({ ...request, folder_name: '/elsewhere' })).toEqual([]);
  });

  it('streams the same completion', async () => {
    const request = { query: 'When is the keeper relieved?', inline_citations: true };
    const whole = await client.query(request);
    expect(whole.completion).toContain('every Tuesday at noon');
    const events: CompletionEvent[] = [];
    for await (const event of client.queryStream(request)) events.push(event);
    const text = events.map((event) => (event.type === 'assistant' ? event.content : '')).join('');
    expect(text).toBe(whole.completion);
    expect(events.at(-1)).toMatchObject({ type: 'done', sources: whole.sources, finish_reason: 'stop' });
  });

  it('aborts a stream', async () => {
    const abort = new AbortController();
    const reading = async (): Promise<void> => {
      for await (const _ of client.queryStream({ query: 'keeper' }, { signal: abort.signal })) abort.abort();
    };
    await expect(thrown(reading())).resolves.toMatchObject({ name: 'AbortError' });
  });

  it("throws the service's error", async () => {
    const error = await thrown(client.retrieve({ query: 'lamp', filters: { kind: { $near: 1 } } }));
    expect(error).toBeInstanceOf(LecternError);
    expect(error).toMatchObject({ status: 422, requestId: expect.any(String) as string });
    const { detail } = error as LecternError;
    expect(detail).toMatchObject([{ loc: ['body', 'filters', 'kind', '$near'] }]);
    const stranger = new LecternClient({ url: service.url, key: 'wrong' });
    await expect(thrown(stranger.folders.list())).resolves.toMatchObject({ status: 401 });
    await expect(thrown(stranger.queryStream({ query: 'lamp' }).next())).resolves.toMatchObject({
      status: 401,
      detail: expect.any(String) as string,
    });
  });

  /** A client that loses the response to its first request. */
  function unluckyClient() {
    const sent: Request[] = [];
    const unlucky = new LecternClient({
      url: service.url,
      key: service.adminKey,
      retry: { firstWaitMs: 1 },
      fetch: async (request) => {
        sent.push(request);
        const response = await fetch(request);
        if (sent.length > 1) return response;
        await response.body?.cancel();
        throw new TypeError('the connection was lost');
      },
    });
    return { unlucky, sent };
  }

  it('ingests a file and a text once even if the first response is lost', async () => {
    const ingestions: ((lossy: LecternClient) => Promise<{ readonly external_id: string }>)[] = [
      (lossy) => lossy.ingestFile(new Blob(['Once.']), { filename: 'once.txt', folder_name: '/once' }),
      (lossy) => lossy.ingestText({ content: 'Once.', folder_name: '/once' }),
    ];
    for (const ingest of ingestions) {
      const { unlucky, sent } = unluckyClient();
      const { external_id: id } = await ingest(unlucky);
      expect(sent).toHaveLength(2);
      const { documents } = await client.listing({ folder_name: ['/once'] });
      expect(documents.map(({ external_id }) => external_id)).toEqual([id]);
      await client.delete(id);
    }
  });

  it('updates once even if the first response is lost', async () => {
    const { external_id: id } = await client.ingestText({ content: 'One.', filename: 'count.txt' });
    await client.wait(id);
    const { unlucky, sent } = unluckyClient();
    const record = await unlucky.updateText(id, { content: 'Two.' }, { strategy: 'add' });
    expect(sent).toHaveLength(2);
    expect(record.system_metadata['version']).toBe(2);
    const [chunk] = await client.retrieve({ query: 'Two', filters: { external_id: id } });
    expect(chunk?.content).toBe('One.\n\nTwo.');
    await client.delete(id);
  });

  it('updates metadata and lists documents page by page', async () => {
    const made = await Promise.all(
      [1, 2, 3, 4, 5].map((number) =>
        client.ingestText({
          content: `Entry ${number}.`,
          folder_name: '/journal',
          filename: `${number}.txt`,
        }),
      ),
    );
    for (const { external_id: id } of made) await client.wait(id);
    const [first] = made;
    const updated = await client.updateMetadata(
      first?.external_id ?? '',
      { day: '2026-05-01' },
      { types: { day: 'date' } },
    );
    expect(updated.metadata_types['day']).toBe('date');
    const names: (string | null | undefined)[] = [];
    for await (const { filename } of client.list({
      folder_name: ['/journal'],
      pageSize: 2,
      sort_by: 'filename',
    })) {
      names.push(filename);
    }
    expect(names).toEqual(['1.txt', '2.txt', '3.txt', '4.txt', '5.txt']);
    const sizes: number[] = [];
    for await (const { documents } of client.pages({ folder_name: ['/journal'], pageSize: 2 })) {
      sizes.push(documents.length);
    }
    expect(sizes).toEqual([2, 2, 1]);
    await client.folders.delete('/journal');
  });

  it('works with folders by path and by id', async () => {
    const folder = await client.folders.create({ name: 'depths', full_path: '/sea/charts/depths' });
    await client.folders.addDocument('/sea/charts/depths', lamp);
    expect((await client.get(lamp)).folder_path).toBe('/sea/charts/depths');
    await client.folders.move('/sea/charts', '/sea/maps');
    expect((await client.folders.get(folder.id)).full_path).toBe('/sea/maps/depths');
    await client.folders.removeDocument(folder.id, lamp);
    await expect(thrown(client.folders.delete('/sea'))).resolves.toMatchObject({ status: 409 });
    await client.folders.delete('/sea', { recursive: true });
    expect((await client.folders.list()).filter(({ full_path }) => full_path.startsWith('/sea'))).toEqual([]);
    await client.folders.addDocument('/harbour', lamp);
  });

  it('reaches every other route by its path', async () => {
    const { data, error } = await client.raw.POST('/search/documents', { body: { query: 'lamp' } });
    expect(error).toBeUndefined();
    expect(data?.map(({ external_id }) => external_id)).toEqual([lamp]);
  });

  it('reports an unreachable service', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const nobody = new LecternClient({
      url: `http://127.0.0.1:${port}`,
      retry: { retries: 1, firstWaitMs: 1 },
    });
    await expect(thrown(nobody.get(lamp))).resolves.toMatchObject({ status: 0 });
  });

  it('reads the text, the chunks and the listings of documents', async () => {
    expect(await client.text(lamp)).toBe(LAMP);
    await expect(thrown(client.text(randomUUID()))).resolves.toMatchObject({ status: 404 });
    const [chunk] = await client.chunks({ sources: [{ document_id: lamp, chunk_number: 0, score: 0.5 }] });
    expect(chunk).toMatchObject({ content: LAMP, score: 0.5 });
    expect((await client.downloadUrl(lamp)).filename).toBe('lamp.txt');
    await expect(thrown(client.downloadUrl(randomUUID()))).resolves.toMatchObject({ status: 404 });
    expect((await client.models()).default_models.embedding).toBe('local');
    await settledHealth(service.client);
    expect((await client.health()).status).toBe('healthy');
    const [found] = await client.searchDocuments({ query: 'lamp' });
    expect(found?.external_id).toBe(lamp);
    const listing = await client.listing({ folder_name: ['/harbour'], limit: 1, include_total_count: true });
    expect([listing.documents.map(({ external_id: id }) => id), listing.total_count]).toEqual([[lamp], 1]);
    const counts = await client.folders.counts();
    expect(counts.map((folder) => [folder.full_path, folder.doc_count])).toContainEqual(['/harbour', 1]);
    const pages = { document_id: lamp, start_page: 1, end_page: 1 };
    await expect(thrown(client.pageImages(pages))).resolves.toMatchObject({ status: 422 });
  });

  it('lists, reads, renames and deletes chats', async () => {
    const chat = randomUUID();
    const { completion } = await client.query({ query: 'When is the keeper relieved?', chat_id: chat });
    expect((await client.chats.messages(chat)).map(({ content }) => content)).toEqual([
      'When is the keeper relieved?',
      completion,
    ]);
    await client.chats.rename(chat, 'The keeper');
    expect(await client.chats.list({ limit: 1 })).toMatchObject([{ chat_id: chat, title: 'The keeper' }]);
    await client.chats.delete(chat);
    await expect(thrown(client.chats.messages(chat))).resolves.toMatchObject({ status: 404 });
  });

  it('is a retriever of LangChain.js', async () => {
    const retriever = new LecternRetriever({ client, request: { k: 3, filters: { kind: 'log' } } });
    const documents = await retriever.invoke('When is the keeper relieved?');
    expect(documents).toHaveLength(1);
    expect(documents[0]).toMatchObject({
      id: `${lamp}-0`,
      pageContent: LAMP,
      metadata: { kind: 'log', document_id: lamp, chunk_number: 0, filename: 'lamp.txt' },
    });
    expect(documents[0]?.metadata['score']).toBeGreaterThan(0.5);
    const wrong = new LecternRetriever({ client, request: { k: -1 } });
    await expect(thrown(wrong.invoke('lamp'))).resolves.toMatchObject({ status: 422 });
  });

  it('is a tool of the AI SDK', async () => {
    const prompts: string[] = [];
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    // A model that searches first and then answers.
    const model = new MockLanguageModelV3({
      doGenerate: ({ prompt }) => {
        prompts.push(JSON.stringify(prompt));
        return Promise.resolve(
          prompts.length === 1
            ? {
                content: [
                  {
                    type: 'tool-call',
                    toolCallId: 'call-1',
                    toolName: 'search',
                    input: '{"query": "When is the keeper relieved?"}',
                  },
                ],
                finishReason: { unified: 'tool-calls', raw: undefined },
                usage,
                warnings: [],
              }
            : {
                content: [{ type: 'text', text: 'On Tuesdays.' }],
                finishReason: { unified: 'stop', raw: undefined },
                usage,
                warnings: [],
              },
        );
      },
    });
    const { text, steps } = await generateText({
      model,
      tools: { search: lecternSearch(client, { request: { filters: { kind: 'log' } } }) },
      stopWhen: stepCountIs(3),
      prompt: 'When is the keeper relieved?',
    });
    expect(text).toBe('On Tuesdays.');
    expect(steps[0]?.toolResults[0]?.output).toEqual([
      {
        content: LAMP,
        filename: 'lamp.txt',
        page: null,
        score: expect.any(Number) as number,
        document_id: lamp,
        chunk_number: 0,
      },
    ]);
    expect(prompts[1]).toContain('every Tuesday at noon');
  });
});
