import { existsSync } from 'node:fs';
import { CompletionService } from '../support/completion-service.js';
import type { SharedService } from '../support/shared-service.js';
import { PUBLISHED_DOCUMENT, PublishedSchemas } from '../support/published-schemas.js';
import { until } from '../support/until.js';

const KEEPER = 'The keeper is relieved every Tuesday at noon.';
const QUESTION = 'When is the keeper relieved?';
const FUNCTION = {
  name: 'clock',
  description: 'The present time.',
  parameters: { type: 'object', properties: { zone: { type: 'string' } } },
  strict: null,
};
const SHAPE = { type: 'object', required: ['day'], properties: { day: { type: 'string' } } };

interface Named {
  readonly id: string;
}

/**
 * Members that are null in the published examples although their schemas do not allow it: `user` always,
 * `usage` until a response ends.
 */
const NULL_IN_EXAMPLES = ['user', 'usage'];

function withoutNulls(value: object): object {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, member]) => !(member === null && NULL_IN_EXAMPLES.includes(name)))
      .map(([name, member]: [string, unknown]) => [
        name,
        name === 'response' ? withoutNulls(member as object) : member,
      ]),
  );
}

interface StreamEvent {
  /** The field `event`. */
  readonly name: string | undefined;
  readonly data: { readonly type: string };
}

/** Parses the events of a stream, without `[DONE]`. */
function eventsIn(stream: string): StreamEvent[] {
  const fieldIn = (block: string, name: string): string | undefined =>
    new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
  return stream
    .split('\n\n')
    .map((block) => ({ name: fieldIn(block, 'event'), data: fieldIn(block, 'data') ?? '[DONE]' }))
    .filter(({ data }) => data !== '[DONE]')
    .map(({ name, data }) => ({ name, data: JSON.parse(data) as { type: string } }));
}

if (!existsSync(PUBLISHED_DOCUMENT)) {
  it.skip(`compares the responses under /v1 with OpenAI's schemas: skipped, no ${PUBLISHED_DOCUMENT} (OPENAI_OPENAPI)`, () =>
    undefined);
} else {
  describe("responses under /v1 are valid against OpenAI's published schemas:", () => {
    const schemas = new PublishedSchemas(PUBLISHED_DOCUMENT);
    let home: CompletionService<SharedService>;
    let file: string;
    let store: string;
    beforeAll(async () => {
      home = await CompletionService.shared();
      file = await upload(KEEPER, 'keeper.txt');
      const created = await ask('POST', '/vector_stores', '/vector_stores', { name: 'harbour' });
      store = (created as Named).id;
      await ask('POST', `/vector_stores/${store}/files`, '/vector_stores/{vector_store_id}/files', {
        file_id: file,
        attributes: { place: 'harbour', year: 1911, open: true },
      });
      await settled();
    });
    afterAll(() => home.stop());

    /** Sends a request and compares the response with the published type of the operation. */
    const ask = async (method: string, path: string, published: string, body?: unknown): Promise<object> => {
      const answer = await home.service.client.call(method, `/v1${path}`, { body });
      const value = answer.json() as object;
      const type = schemas.answerOf(method, published);
      expect([method, path, answer.status, schemas.differences(type, withoutNulls(value))]).toEqual([
        ...[method, path, 200, []],
      ]);
      return value;
    };

    const upload = async (
      text: string,
      name: string,
      more: Readonly<Record<string, string>> = {},
    ): Promise<string> => {
      const form = new FormData();
      form.append('file', new Blob([text]), name);
      for (const [field, value] of Object.entries({ purpose: 'assistants', ...more }))
        form.append(field, value);
      return ((await ask('POST', '/files', '/files', form)) as Named).id;
    };

    const settled = async (): Promise<void> => {
      const path = `/vector_stores/${store}`;
      const read = () => ask('GET', path, '/vector_stores/{vector_store_id}') as Promise<{ status: string }>;
      await until('the vector store is complete', async () => (await read()).status !== 'in_progress');
    };

    const fileSearch = () => ({ type: 'file_search', vector_store_ids: [store], max_num_results: 3 });

    it('files', async () => {
      const expiring = { 'expires_after[anchor]': 'created_at', 'expires_after[seconds]': '3600' };
      const id = await upload('Gulls.', 'gulls.txt', expiring);
      await ask('GET', `/files/${id}`, '/files/{file_id}');
      await ask('GET', '/files?limit=1', '/files');
      await ask('GET', '/files?purpose=batch', '/files');
      await ask('DELETE', `/files/${id}`, '/files/{file_id}');
    });

    it('vector stores', async () => {
      const { id } = (await ask('POST', '/vector_stores', '/vector_stores', {
        name: 'pier',
        description: 'Notes.',
        expires_after: { anchor: 'last_active_at', days: 1 },
        metadata: { customer: 'acme' },
        file_ids: [file],
        chunking_strategy: {
          type: 'static',
          static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 10 },
        },
      })) as Named;
      await ask('GET', `/vector_stores/${id}`, '/vector_stores/{vector_store_id}');
      await ask('POST', `/vector_stores/${id}`, '/vector_stores/{vector_store_id}', {
        name: null,
        metadata: null,
      });
      await ask('GET', '/vector_stores?limit=1', '/vector_stores');
      await ask('GET', `/vector_stores?after=${id}&order=asc`, '/vector_stores');
      await ask('DELETE', `/vector_stores/${id}`, '/vector_stores/{vector_store_id}');
    });

    it('a folder as a vector store', async () => {
      await home.service.client.post('/ingest/text?wait=60', { content: KEEPER, folder_name: '/handbook' });
      const { data } = (await ask('GET', '/vector_stores', '/vector_stores')) as {
        readonly data: readonly (Named & { readonly name: string })[];
      };
      const folder = data.find(({ name }) => name === '/handbook')?.id ?? '';
      await ask('GET', `/vector_stores/${folder}`, '/vector_stores/{vector_store_id}');
      await ask('GET', `/vector_stores/${folder}/files`, '/vector_stores/{vector_store_id}/files');
      const search = '/vector_stores/{vector_store_id}/search';
      await ask('POST', `/vector_stores/${folder}/search`, search, { query: QUESTION });
    });

    it('files of a store, one of which fails', async () => {
      const path = `/vector_stores/${store}/files`;
      const published = '/vector_stores/{vector_store_id}/files';
      const empty = await upload('', 'empty.txt');
      await ask('POST', path, published, {
        file_id: empty,
        chunking_strategy: {
          type: 'static',
          static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 10 },
        },
      });
      await settled();
      expect(await ask('GET', `${path}/${empty}`, `${published}/{file_id}`)).toMatchObject({
        status: 'failed',
      });
      await ask('GET', path, published);
      await ask('POST', `${path}/${file}`, `${published}/{file_id}`, { attributes: { place: 'pier' } });
      await ask('POST', `${path}/${file}`, `${published}/{file_id}`, { attributes: null });
      await ask('GET', `${path}/${file}/content`, `${published}/{file_id}/content`);
      await ask('DELETE', `${path}/${empty}`, `${published}/{file_id}`);
    });

    it('batches', async () => {
      const path = `/vector_stores/${store}/file_batches`;
      const published = '/vector_stores/{vector_store_id}/file_batches';
      const more = await upload('Gulls sleep on the pier.', 'gulls.txt');
      const { id } = (await ask('POST', path, published, { file_ids: [more, file] })) as Named;
      await ask('GET', `${path}/${id}`, `${published}/{batch_id}`);
      await settled();
      await ask('GET', `${path}/${id}`, `${published}/{batch_id}`);
      await ask('GET', `${path}/${id}/files`, `${published}/{batch_id}/files`);
      await ask('POST', `${path}/${id}/cancel`, `${published}/{batch_id}/cancel`);
    });

    it('search', async () => {
      const search = (body: object): Promise<object> =>
        ask('POST', `/vector_stores/${store}/search`, '/vector_stores/{vector_store_id}/search', body);
      expect(await search({ query: QUESTION })).toHaveProperty('data.0.filename', 'keeper.txt');
      await search({
        query: [QUESTION, 'gulls'],
        max_num_results: 1,
        ranking_options: { score_threshold: 0 },
      });
      await search({ query: QUESTION, filters: { type: 'eq', key: 'place', value: 'nowhere' } });
    });

    it.each<[string, string, () => object]>([
      ['a text', 'plain', () => ({})],
      ['a file search', 'plain', () => ({ tools: [fileSearch()], include: ['file_search_call.results'] })],
      [
        'a filtered file search',
        'plain',
        () => ({
          tools: [
            {
              ...fileSearch(),
              filters: { type: 'gte', key: 'year', value: 1900 },
              ranking_options: { ranker: 'auto', score_threshold: 0.1 },
            },
          ],
          tool_choice: { type: 'file_search' },
        }),
      ],
      ['a function', 'calls:clock', () => ({ tools: [{ type: 'function', ...FUNCTION }] })],
      [
        'a forced function',
        'obeys',
        () => ({
          tools: [{ type: 'function', ...FUNCTION }],
          tool_choice: { type: 'function', name: 'clock' },
        }),
      ],
      [
        'a schema',
        'obeys',
        () => ({ text: { format: { type: 'json_schema', name: 'day', strict: true, schema: SHAPE } } }),
      ],
      ['an object', 'json:{}', () => ({ text: { format: { type: 'json_object' } } })],
      ['a short answer', 'finish:length', () => ({ max_output_tokens: 16, metadata: { a: 'b' } })],
    ])('responses and their events: %s', async (_, model, more) => {
      const body = {
        model: 'gpt-4.1',
        input: [{ role: 'user', content: [{ type: 'input_text', text: QUESTION }] }],
        instructions: 'Be brief.',
        llm_config: { model },
        ...more(),
      };
      const { id } = (await ask('POST', '/responses', '/responses', body)) as Named;
      await ask('GET', `/responses/${id}`, '/responses/{response_id}');
      await ask('GET', `/responses/${id}/input_items`, '/responses/{response_id}/input_items');

      const stream = await home.service.client.post('/v1/responses', { ...body, stream: true });
      const events = eventsIn(stream.text);
      expect(events.length).toBeGreaterThan(3);
      for (const [at, { name, data }] of events.entries()) {
        expect([name, data]).toEqual([data.type, expect.objectContaining({ sequence_number: at })]);
        expect([data.type, schemas.differences(schemas.eventOf(data.type), withoutNulls(data))]).toEqual([
          ...[data.type, []],
        ]);
      }
    });

    it('a response that continues another', async () => {
      const first = (await ask('POST', '/responses', '/responses', { model: 'x', input: QUESTION })) as Named;
      const second = (await ask('POST', '/responses', '/responses', {
        model: 'x',
        input: [
          { type: 'function_call', call_id: 'call_1', name: 'clock', arguments: '{}' },
          { type: 'function_call_output', call_id: 'call_1', output: 'noon' },
          { role: 'assistant', content: [{ type: 'output_text', text: 'Noon.' }] },
          { role: 'developer', content: 'Be brief.' },
          { role: 'user', content: 'And now?' },
        ],
        previous_response_id: first.id,
        store: true,
      })) as Named;
      await ask(
        'GET',
        `/responses/${second.id}/input_items?limit=100`,
        '/responses/{response_id}/input_items',
      );
    });

    it('conversations and their items', async () => {
      const at = '/conversations/{conversation_id}';
      const { id } = (await ask('POST', '/conversations', '/conversations', {
        metadata: { topic: 'harbour' },
        items: [
          { role: 'user', content: QUESTION },
          { role: 'assistant', content: [{ type: 'output_text', text: 'On Tuesday.' }] },
          { type: 'function_call', call_id: 'call_1', name: 'clock', arguments: '{}' },
          { type: 'function_call_output', call_id: 'call_1', output: 'noon' },
        ],
      })) as Named;
      const path = `/conversations/${id}`;
      const question = { role: 'user', content: 'Who is relieved?' };
      const added = await ask('POST', `${path}/items`, `${at}/items`, { items: [question] });
      const item = (added as { data: readonly Named[] }).data[0]?.id ?? '';
      for (const more of [{ tools: [fileSearch()] }, {}]) {
        const body = { model: 'x', input: QUESTION, conversation: { id }, ...more };
        await ask('POST', '/responses', '/responses', body);
      }
      await ask('GET', `${path}/items?limit=2`, `${at}/items`);
      await ask('GET', `${path}/items?limit=100&order=asc`, `${at}/items`);
      await ask('GET', `${path}/items/${item}`, `${at}/items/{item_id}`);
      await ask('DELETE', `${path}/items/${item}`, `${at}/items/{item_id}`);
      await ask('GET', path, at);
      await ask('POST', path, at, { metadata: {} });
      await ask('DELETE', path, at);
    });

    it('a stream that fails', async () => {
      const body = { model: 'x', input: QUESTION, stream: true, llm_config: { model: 'breaks' } };
      const events = eventsIn((await home.service.client.post('/v1/responses', body)).text);
      expect(events.slice(-2).map(({ data }) => data.type)).toEqual(['error', 'response.failed']);
      for (const { data } of events) {
        const differences = schemas.differences(schemas.eventOf(data.type), withoutNulls(data));
        expect([data.type, differences]).toEqual([data.type, []]);
      }
    });

    it.each<[string, object]>([
      ['plain', {}],
      ['calls:clock', { tools: [{ type: 'function', function: FUNCTION }] }],
      ['obeys', { response_format: { type: 'json_schema', json_schema: { name: 'day', schema: SHAPE } } }],
    ])('chat completions and their chunks: %s', async (model, more) => {
      const body = {
        model: 'gpt-4.1',
        messages: [{ role: 'user', content: QUESTION }],
        llm_config: { model },
        stream_options: null,
        ...more,
      };
      await ask('POST', '/chat/completions', '/chat/completions', body);
      const options = { stream: true, stream_options: { include_usage: true } };
      const stream = await home.service.client.post('/v1/chat/completions', { ...body, ...options });
      for (const { data } of eventsIn(stream.text)) {
        expect(schemas.differences('CreateChatCompletionStreamResponse', data)).toEqual([]);
      }
    });

    it('embeddings and models', async () => {
      await ask('POST', '/embeddings', '/embeddings', { model: 'lectern', input: ['blue'] });
      await ask('GET', '/models', '/models');
      await ask('GET', '/models/lectern', '/models/{model}');
    });

    it.each<[number, string, object]>([
      [400, '/v1/responses', { model: 'x' }],
      [400, '/v1/vector_stores', { metadata: { a: 1 } }],
      [404, '/v1/vector_stores/vs_1/search', { query: 'x' }],
      [404, '/v1/uploads', {}],
      [404, '/vector_stores', {}],
      [405, '/v1/models', {}],
    ])('errors: %i of %s', async (status, path, body) => {
      const answer = await home.service.client.post(path, body);
      expect([answer.status, schemas.differences('ErrorResponse', answer.json())]).toEqual([status, []]);
    });
  });
}
