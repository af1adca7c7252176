import { randomUUID } from 'node:crypto';
import { chunkOf } from '../../test/support/chunks.js';
import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { USUAL_ANSWER } from '../../test/support/fake-provider/answers.js';
import { FakeProvider } from '../../test/support/fake-provider/fake-provider.js';
import {
  eventsOf,
  GivenChunks,
  newScope,
  queryService,
  requestOf,
  textOf,
  type WiredQueryService,
} from '../../test/support/query-service.js';
import type { Scope } from '../auth/scope.js';
import { currentTimings, runInContext } from '../request/request-context.js';
import type { CompletionDto } from './query-response.dto.js';

const CHUNKS = [
  chunkOf({
    chunkNumber: 3,
    content: 'The device weighs two kilograms.',
    filename: 'manual.pdf',
    pageNumber: 4,
  }),
  chunkOf({
    chunkNumber: 4,
    content: 'It is blue.',
    filename: 'manual.pdf',
    pageNumber: 5,
    score: 0,
    isPadding: true,
  }),
];
const SCHEMA = { type: 'object', required: ['weight'], properties: { weight: { type: 'integer' } } };

describe('answering a question', () => {
  let database: TestDatabase;
  let provider: FakeProvider;
  let scope: Scope;
  const retrieval = new GivenChunks();

  beforeAll(async () => {
    [database, provider] = await Promise.all([openTestDatabase(), FakeProvider.start()]);
  }, 60_000);
  afterAll(async () => {
    await Promise.all([provider.close(), database.close()]);
  });
  beforeEach(async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    provider.forget();
    retrieval.requests.length = 0;
    retrieval.chunks = CHUNKS;
    scope = await newScope(database.dataSource);
  });

  function wired(behaviour: string, environment: Record<string, string> = {}): WiredQueryService {
    return queryService(database.dataSource, retrieval, {
      LLM_MODEL: `hosted_vllm/${behaviour}`,
      LLM_API_BASE: provider.url,
      ...environment,
    });
  }
  const ask = (behaviour: string, body: object): Promise<CompletionDto> =>
    runInContext(undefined, () =>
      wired(behaviour).service.complete(scope, requestOf({ query: 'How heavy is it?', ...body })),
    );
  const stored = async (chatId: string, endUserId: string | null = null): Promise<string[]> =>
    (await wired('x').chats.lastTurns(scope, { chatId, endUserId }, 100)).map(
      ({ role, content }) => `${role}: ${content}`,
    );

  it('returns the answer with sources, usage and metadata', async () => {
    const response = await ask('plain', {});
    expect(response).toEqual({
      completion: USUAL_ANSWER,
      usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
      finish_reason: 'stop',
      sources: [
        expect.objectContaining({ document_id: CHUNKS[0]?.documentId, chunk_number: 3, score: 0.8 }),
        expect.objectContaining({ document_id: CHUNKS[0]?.documentId, chunk_number: 4, score: null }),
      ],
      metadata: {
        model: 'plain',
        provider: 'hosted_vllm',
        context_chunks: 2,
        documents_processing: 0,
        dropped_chunks: 0,
        timings_ms: {
          embed: 1,
          db: 2,
          llm: expect.any(Number) as number,
          total: expect.any(Number) as number,
        },
      },
    });
  });

  it.each([
    [{ base_url: 'http://10.0.0.1', api_key: 'k' }, 'base_url'],
    [{ api_base: 'http://10.0.0.1', api_key: 'k' }, 'api_base'],
    [{ base_url: 'http://10.0.0.1', api_base: 'http://10.0.0.1', api_key: 'k' }, 'api_base'],
    [{ model: 'ollama/llama3' }, 'api_base'],
  ])('rejects %j at its location', async (llm_config, member) => {
    const refusal = { items: [{ loc: ['body', 'llm_config', member] }] };
    await expect(ask('plain', { llm_config })).rejects.toMatchObject(refusal);
    const request = requestOf({ query: 'How heavy is it?', llm_config });
    const stream = wired('plain').service.stream(scope, request, () => undefined);
    await expect(eventsOf(stream)).rejects.toMatchObject(refusal);
  });

  it('rejects a model at the location in the request', async () => {
    const embedded = { LLM_MODEL: 'extractive', LLM_API_BASE: '' };
    const request = requestOf({ query: 'How heavy is it?', llm_config: { model_name: 'gpt-4o' } });
    await expect(wired('x', embedded).service.complete(scope, request)).rejects.toMatchObject({
      items: [{ loc: ['body', 'llm_config', 'model_name'] }],
    });
  });

  it('streams the same answer', async () => {
    const prepared: object[] = [];
    const request = requestOf({ query: 'How heavy is it?' });
    const events = await runInContext(undefined, () =>
      eventsOf(wired('pieces:3').service.stream(scope, request, () => prepared.push(currentTimings()))),
    );
    expect(textOf(events)).toBe(USUAL_ANSWER);
    const { completion: _, ...rest } = await ask('pieces:3', {});
    expect(events.at(-1)).toEqual({
      type: 'done',
      ...rest,
      metadata: Object.assign({}, rest.metadata, { timings_ms: expect.any(Object) as object }),
    });
    expect(prepared).toEqual([expect.objectContaining({ embed: 1, db: 2 })]);
  });

  it('prefers parameters of the request to those of llm_config', async () => {
    await ask('plain', {
      max_tokens: 5,
      temperature: 0,
      llm_config: { max_tokens: 9, temperature: 1, top_p: 0.5 },
    });
    expect(provider.last.body).toMatchObject({ max_tokens: 5, temperature: 0, top_p: 0.5 });
    await ask('plain', { llm_config: { max_tokens: 9 } });
    expect(provider.last.body).toMatchObject({ max_tokens: 9 });
    expect(provider.last.body).not.toHaveProperty('temperature');
  });

  it('adds a note that nothing was found, and answers', async () => {
    retrieval.chunks = [];
    await expect(ask('plain', {})).resolves.toMatchObject({ completion: USUAL_ANSWER, sources: [] });
    expect(provider.last.question).toContain('No passages were found');
  });

  it('drops the lowest-ranked chunks that do not fit, and reports their number', async () => {
    retrieval.chunks = Array.from({ length: 1_000 }, (_, chunkNumber) =>
      chunkOf({ chunkNumber, content: `word ${chunkNumber} `.repeat(100) }),
    );
    const { sources, metadata } = await ask('plain', { llm_config: { context_window: 4_096 }, k: 1_000 });
    expect(sources.map(({ chunk_number }) => chunk_number)).toEqual(sources.map((_, index) => index));
    expect(sources.length).toBeGreaterThan(5);
    expect(metadata.context_chunks + metadata.dropped_chunks).toBe(1_000);
    expect(metadata.context_chunks).toBe(sources.length);
  });

  describe('with citations', () => {
    const behaviour = 'text:It weighs two kilograms [[1]] and is blue [[2]][[9]]. Odd [[x]].';

    it('turns markers into labels with offsets and quotes', async () => {
      const { completion, metadata } = await ask(behaviour, { inline_citations: true });
      expect(completion).toBe(
        'It weighs two kilograms [manual.pdf, page 4] and is blue [manual.pdf, page 5]. Odd.',
      );
      expect(metadata.citations).toEqual([
        {
          start: 24,
          end: 44,
          text: '[manual.pdf, page 4]',
          document_id: CHUNKS[0]?.documentId,
          chunk_number: 3,
          filename: 'manual.pdf',
          page_number: 4,
          quote: 'The device weighs two kilograms.',
        },
        expect.objectContaining({ text: '[manual.pdf, page 5]', chunk_number: 4, quote: 'It is blue.' }),
      ]);
    });

    it('streams the same text and offsets', async () => {
      const request = requestOf({ query: 'How heavy is it?', inline_citations: true });
      const events = await eventsOf(
        wired(`pieces:2|${behaviour}`).service.stream(scope, request, () => undefined),
      );
      const { completion, metadata } = await ask(behaviour, { inline_citations: true });
      expect(textOf(events)).toBe(completion);
      expect(events.at(-1)).toMatchObject({ metadata: { citations: metadata.citations } });
    });

    it('keeps the text unchanged if citations are not requested', async () => {
      await expect(ask('text:As is [[1]] [[9]].', {})).resolves.toMatchObject({
        completion: 'As is [[1]] [[9]].',
      });
    });
  });

  describe('with a schema', () => {
    it('returns a valid object', async () => {
      await expect(ask('obeys', { schema: SCHEMA })).resolves.toMatchObject({ completion: { weight: 1 } });
    });

    it('streams the JSON and ends with the object', async () => {
      const request = requestOf({ query: 'How heavy is it?', schema: SCHEMA });
      const events = await eventsOf(wired('obeys').service.stream(scope, request, () => undefined));
      expect(JSON.parse(textOf(events))).toEqual({ weight: 1 });
      expect(events.at(-1)).toMatchObject({ type: 'done', completion: { weight: 1 } });
    });

    it('fails with 502 after one repair, and stores nothing', async () => {
      await expect(ask('never-obeys', { schema: SCHEMA, chat_id: 'c' })).rejects.toMatchObject({
        status: 502,
      });
      expect(provider.completions).toHaveLength(2);
      await expect(stored('c')).resolves.toEqual([]);
    });

    it('stores the JSON text in the chat', async () => {
      await ask('obeys', { schema: SCHEMA, chat_id: 'c' });
      await expect(stored('c')).resolves.toEqual(['user: How heavy is it?', 'assistant: {"weight":1}']);
    });

    it('rejects a schema whose validation does not terminate', async () => {
      await expect(ask('json:{"a": {}}', { schema: { $ref: '#' } })).rejects.toMatchObject({ status: 422 });
    });
  });

  describe('in a chat', () => {
    it('sends the conversation to the model, and the question once', async () => {
      await ask('plain', { chat_id: 'c', query: 'What is the Nimbus router?' });
      await ask('plain', { chat_id: 'c', query: 'How heavy is the Nimbus router?' });
      const roles = provider.last.body.messages.map(({ role }) => role);
      expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
      expect(provider.last.texts('user')[0]).toBe('What is the Nimbus router?');
      expect(provider.last.texts('assistant')).toEqual([USUAL_ANSWER]);
      expect(provider.last.raw.split('How heavy is the Nimbus router?')).toHaveLength(2);
    });

    it('separates chats of end users and of tenants', async () => {
      await ask('plain', { chat_id: 'c', end_user_id: 'ann' });
      const other = await newScope(database.dataSource);
      await wired('plain').service.complete(other, requestOf({ query: 'Whose?', chat_id: 'c' }));
      await ask('plain', { chat_id: 'c', end_user_id: 'bob', query: 'Bob asks' });
      await ask('plain', { chat_id: 'c', end_user_id: '', query: 'The empty one asks' });
      expect(provider.last.body.messages).toHaveLength(2);
      await expect(stored('c', 'ann')).resolves.toHaveLength(2);
      await expect(stored('c', 'bob')).resolves.toEqual(['user: Bob asks', `assistant: ${USUAL_ANSWER}`]);
      await expect(stored('c')).resolves.toEqual([]);
    });

    it('drops the oldest turns to fit', async () => {
      const { chats } = wired('plain');
      for (let i = 0; i < 30; i++) {
        await chats.append(
          scope,
          { chatId: 'c', endUserId: null },
          { question: `Q${i} ${'x '.repeat(50)}`, answer: 'A' },
        );
      }
      await ask('plain', { chat_id: 'c', llm_config: { context_window: 2_048 } });
      const questions = provider.last.texts('user').slice(0, -1);
      expect(questions.length).toBeGreaterThan(1);
      expect(questions.length).toBeLessThan(12);
      expect(questions.at(-1)).toMatch(/^Q29 /);
      expect(provider.last.body.messages[1]?.role).toBe('user');
    });

    it('stores nothing if the answer fails', async () => {
      await expect(ask('status:400', { chat_id: 'c' })).rejects.toMatchObject({ status: 502 });
      await expect(stored('c')).resolves.toEqual([]);
    });

    it('stores the text so far if the caller leaves a stream', async () => {
      const leaving = new AbortController();
      const stream = wired('tokens:50|token-delay:2').service.stream(
        scope,
        requestOf({ query: 'Q', chat_id: 'c' }),
        () => undefined,
      );
      const reading = runInContext(leaving.signal, async () => {
        for await (const event of stream) if (event.type === 'assistant') leaving.abort(new Error('left'));
      });
      await expect(reading).rejects.toThrow('left');
      await expect(stored('c')).resolves.toEqual(['user: Q', expect.stringMatching(/^assistant: word/)]);
    });

    it('stores all turns of concurrent requests', async () => {
      const { service } = wired('plain');
      const questions = Array.from({ length: 20 }, (_, index) => `Question ${index}`);
      await Promise.all(
        questions.map((query) => service.complete(scope, requestOf({ query, chat_id: 'c' }))),
      );
      const turns = await stored('c');
      expect(turns).toHaveLength(40);
      expect(turns.filter((_, index) => index % 2 === 0).sort()).toEqual(
        questions.map((one) => `user: ${one}`).sort(),
      );
      expect(turns.filter((_, index) => index % 2 === 1)).toEqual(
        Array(20).fill(`assistant: ${USUAL_ANSWER}`),
      );
    });

    it('stores an answer without characters that the database rejects', async () => {
      await ask('text:a\0b', { chat_id: 'c' });
      await expect(stored('c')).resolves.toContain('assistant: ab');
    });
  });

  describe('a question that continues a conversation', () => {
    const history = {
      question: 'How long does the warranty of the Nimbus router last?',
      answer: 'Two years.',
    };
    const searched = (): string | null | undefined => retrieval.requests.at(-1)?.query;

    async function followUp(behaviour: string, query: string): Promise<void> {
      const { chats } = wired('x');
      await chats.append(scope, { chatId: 'c', endUserId: null }, history);
      await ask(behaviour, { chat_id: 'c', query });
    }

    it('is rewritten by the model for the search, but asked unchanged', async () => {
      await followUp('text:How much does the Nimbus router cost?', 'And how much does it cost?');
      expect(searched()).toBe('How much does the Nimbus router cost?');
      expect(provider.last.question).toContain('Question: And how much does it cost?');
    });

    it.each([
      'text:I cannot help with that.',
      'text:It costs 20 euros.',
      `text:${'cost '.repeat(200)}`,
      'text:',
    ])('is joined with the previous question if the model answers %s', async (behaviour) => {
      await followUp(behaviour, 'And how much does it cost?');
      expect(searched()).toBe('And how much does it cost? long warranty Nimbus router last');
    });

    it('is not rewritten if it names its subject', async () => {
      await followUp('plain', 'How heavy is the Zephyr drone?');
      expect(searched()).toBe('How heavy is the Zephyr drone?');
      expect(provider.completions).toHaveLength(1);
    });

    it('counts the tokens of the rewriting', async () => {
      const { chats } = wired('x');
      await chats.append(scope, { chatId: 'c', endUserId: null }, history);
      const { usage } = await ask('plain', { chat_id: 'c' });
      expect(usage.total_tokens).toBe(36);
    });

    it('is joined with the previous question without a model if it refers to it', async () => {
      const { service, chats } = wired('x');
      await chats.append(scope, { chatId: 'c', endUserId: null }, history);
      const embedded = { llm_config: { model: 'extractive' }, chat_id: 'c' };
      await service.complete(scope, requestOf({ query: 'Does it cover water?', ...embedded }));
      expect(searched()).toBe('Does it cover water? long warranty Nimbus router last');
      await service.complete(
        scope,
        requestOf({ query: 'Which colours does the Zephyr drone have?', ...embedded }),
      );
      expect(searched()).toBe('Which colours does the Zephyr drone have?');
    });
  });

  describe('with entities', () => {
    const overrides = {
      entity_resolution: { examples: [{ canonical: 'Lyra', variants: ['LR-1', 'Lyra device'] }] },
      entity_extraction: { examples: [{ label: 'Lyra', type: 'PRODUCT', properties: { maker: 'Acme' } }] },
    };

    it('extracts them with the prompts and examples of the request', async () => {
      const entity = { label: 'Lyra', type: 'PRODUCT', properties: {} };
      const group = { canonical: 'Lyra', variants: ['LR-1'] };
      const model = `json:${JSON.stringify({ entities: [entity], groups: [group] })}`;
      const template = { prompt_template: 'Find in {content} like {examples} {"keep": 1}' };
      const { metadata, usage } = await ask(model, {
        query: 'How heavy is Lyra?',
        prompt_overrides: {
          ...overrides,
          entity_extraction: { ...overrides.entity_extraction, ...template },
        },
      });
      expect(metadata.entities).toEqual([{ ...entity, ...group }]);
      expect(retrieval.requests.at(-1)?.lexicalExpansion).toEqual(['LR-1']);
      expect(usage.total_tokens).toBe(54);
      const [extraction, resolution] = provider.completions.map((call) => call.question);
      expect(extraction).toMatch(/^Find in How heavy is Lyra\? like \[\n/);
      expect(extraction).toContain('"maker": "Acme"');
      expect(extraction).toContain('{"keep": 1}');
      expect(resolution).toContain('- Lyra (PRODUCT)');
      expect(resolution).toContain('"Lyra device"');
    });

    const LONG = 'Lyra '.repeat(3_000);
    it.each<[string[], object]>([
      [['query'], { query: LONG, prompt_overrides: { entity_extraction: {} } }],
      [
        ['prompt_overrides', 'entity_extraction', 'prompt_template'],
        { prompt_overrides: { entity_extraction: { prompt_template: `{content} {examples} ${LONG}` } } },
      ],
      [
        ['prompt_overrides', 'entity_extraction', 'examples'],
        { prompt_overrides: { entity_extraction: { examples: [{ label: LONG, type: 'PRODUCT' }] } } },
      ],
      [
        ['prompt_overrides', 'entity_resolution', 'prompt_template'],
        {
          prompt_overrides: {
            entity_resolution: { prompt_template: `{entities_str}{examples_json}${LONG}` },
          },
        },
      ],
      [
        ['prompt_overrides', 'entity_resolution', 'examples'],
        { prompt_overrides: { entity_resolution: { examples: [{ canonical: 'Lyra', variants: [LONG] }] } } },
      ],
    ])('rejects a prompt that exceeds the window at %j, before any model call', async (place, body) => {
      const refused = ask('plain', { ...body, llm_config: { context_window: 2_048 } });
      await expect(refused).rejects.toMatchObject({
        items: [{ loc: ['body', ...place], msg: expect.stringContaining('2048 tokens') as string }],
      });
      expect(provider.completions).toEqual([]);
    });

    it('merges as many entities as fit into the window, and keeps the others', async () => {
      const entities = Array.from({ length: 400 }, (_, index) => ({
        label: `Lyra ${index}`,
        type: 'PRODUCT',
      }));
      const model = `json:${JSON.stringify({ entities, groups: [{ canonical: 'Lyra', variants: ['Lyra 0'] }] })}`;
      const { metadata } = await ask(model, {
        prompt_overrides: { entity_resolution: {} },
        llm_config: { context_window: 2_048 },
      });
      expect(metadata.entities).toHaveLength(400);
      expect(metadata.entities?.[0]?.canonical).toBe('Lyra');
      const resolution = provider.completions[1]?.question ?? '';
      expect(resolution).toContain('- Lyra 0 (PRODUCT)');
      expect(resolution).not.toContain('- Lyra 399 (PRODUCT)');
    });

    it.each([
      ['extraction', 'text:The Lyra, I think.', [], 'No entities: ', 3],
      [
        'resolution',
        `json:${JSON.stringify({ entities: [{ label: 'Lyra', type: 'PRODUCT' }], groups: 'none' })}`,
        [{ label: 'Lyra', type: 'PRODUCT', properties: {}, canonical: 'Lyra', variants: [] }],
        'Entities without variants: ',
        4,
      ],
    ])(
      'answers without entities after an invalid model answer (%s), adds a note, and counts its tokens',
      async (_, model, entities, note, calls) => {
        const { completion, metadata, usage } = await ask(model, {
          query: 'How heavy is Lyra?',
          prompt_overrides: overrides,
        });
        expect(completion).not.toBe('');
        expect(metadata.entities).toEqual(entities);
        expect(metadata.notes).toEqual([
          expect.stringMatching(`^${note}The answer of .* is not valid against`),
        ]);
        expect(provider.completions).toHaveLength(calls);
        expect(usage.total_tokens).toBe(18 * calls);
      },
    );

    it('fails if the provider fails', async () => {
      const failing = ask('status:401', { prompt_overrides: overrides });
      await expect(failing).rejects.toMatchObject({ status: 502 });
    });

    it('does neither by default', async () => {
      const { metadata } = await ask('plain', {});
      expect(metadata).not.toHaveProperty('entities');
      expect(metadata).not.toHaveProperty('notes');
      expect(provider.completions).toHaveLength(1);
    });
  });

  describe('without a language model', () => {
    const none = { llm_config: { model: 'extractive' } };
    const QUOTED = 'The device weighs two kilograms.';
    const weight = { query: 'How many kilograms does the device weigh?', ...none };

    it('quotes the best passage, without a call', async () => {
      await expect(ask('x', weight)).resolves.toMatchObject({
        completion: QUOTED,
        usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
        finish_reason: 'stop',
        sources: [{ chunk_number: 3 }, { chunk_number: 4 }],
        metadata: { model: 'extractive', provider: 'extractive', context_chunks: 2 },
      });
      expect(provider.completions).toEqual([]);
    });

    it('cites it, whole and streamed', async () => {
      const response = await ask('x', { ...weight, inline_citations: true });
      expect(response.completion).toBe(`${QUOTED} [manual.pdf, page 4]`);
      expect(response.metadata.citations).toEqual([
        {
          start: 33,
          end: 53,
          text: '[manual.pdf, page 4]',
          document_id: CHUNKS[0]?.documentId,
          chunk_number: 3,
          filename: 'manual.pdf',
          page_number: 4,
          quote: QUOTED,
        },
      ]);
      const request = requestOf({ ...weight, inline_citations: true });
      const events = await eventsOf(wired('x').service.stream(scope, request, () => undefined));
      expect(textOf(events)).toBe(response.completion);
      expect(events.at(-1)).toMatchObject({
        type: 'done',
        finish_reason: 'stop',
        metadata: { citations: response.metadata.citations },
      });
    });

    it('reports that no answer was found, without a citation', async () => {
      const question = { ...none, query: 'Who painted the ceiling?', inline_citations: true };
      const refused = {
        completion: 'No answer found in the documents.',
        finish_reason: 'stop',
        metadata: { citations: [], answered: false },
      };
      await expect(ask('x', question)).resolves.toMatchObject(refused);
      retrieval.chunks = [];
      await expect(ask('x', question)).resolves.toMatchObject({ ...refused, sources: [] });
    });

    it('reports how many selected documents are still processing', async () => {
      const add = (appId: string, folder: string, status: string) =>
        database.dataSource.query(
          `insert into documents (app_id, external_id, status, content_type, folder_path)
           values ($1, $2, $3, 'text/plain', $4)`,
          [appId, randomUUID(), status, folder],
        );
      await add(scope.appId, '/a', 'processing');
      await add(scope.appId, '/b', 'processing');
      await add(scope.appId, '/b', 'completed');
      await add(scope.appId, '/b', 'failed');
      await add((await newScope(database.dataSource)).appId, '/a', 'processing');
      const question = { ...none, query: 'Who painted the ceiling?' };
      const { completion, metadata } = await ask('x', question);
      expect(completion).toBe('No answer found in the documents. 2 documents are still being processed.');
      expect(metadata.answered).toBe(false);
      const inFolder = requestOf({ ...question, folder_name: '/a' });
      const events = await eventsOf(wired('x').service.stream(scope, inFolder, () => undefined));
      expect(textOf(events)).toBe('No answer found in the documents. 1 document is still being processed.');
      expect(events.at(-1)).toMatchObject({ type: 'done', metadata: { answered: false } });
    });

    it('never truncates a sentence: one that exceeds max_tokens is omitted', async () => {
      await expect(ask('x', { ...weight, max_tokens: 3 })).resolves.toMatchObject({
        completion: '',
        finish_reason: 'length',
      });
    });

    it.each([
      [{ schema: SCHEMA }, ['schema']],
      [{ prompt_overrides: { entity_extraction: {} } }, ['prompt_overrides', 'entity_extraction']],
      [{ prompt_overrides: { entity_resolution: {} } }, ['prompt_overrides', 'entity_resolution']],
    ])('rejects %j, which needs a model, before the search', async (body, place) => {
      await expect(ask('x', { ...weight, ...body })).rejects.toMatchObject({
        status: 422,
        items: [{ loc: ['body', ...place], msg: expect.stringContaining('LLM_MODEL') as string }],
      });
      expect(retrieval.requests).toEqual([]);
    });

    it('answers without the configured entities, and adds a note', async () => {
      const configured = wired('x', { QUERY_ENTITIES: 'true', LLM_MODEL: 'extractive', LLM_API_BASE: '' });
      const { completion, metadata } = await configured.service.complete(scope, requestOf(weight));
      expect(completion).toBe(QUOTED);
      expect(metadata).toMatchObject({ entities: [], notes: [expect.stringContaining('LLM_MODEL')] });
    });
  });

  describe('with images', () => {
    const IMAGE =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const pageOf = (number: number) =>
      chunkOf({
        imageKey: `data:image/png;base64,PAGE${number}`,
        contentType: 'image/png',
        content: `The lamp of page ${number} is lit.`,
        chunkNumber: number - 1,
        pageNumber: number,
      });

    it('sends page images to a model with vision, in order', async () => {
      retrieval.chunks = [pageOf(2), chunkOf({ content: 'A lamp.' }), pageOf(1)];
      const { sources } = await ask('plain', { llm_config: { vision: true } });
      const [text, ...images] = provider.last.body.messages.at(-1)?.content as readonly { text?: string }[];
      expect(images).toMatchObject([
        { type: 'image_url', image_url: { url: 'data:image/png;base64,PAGE2' } },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,PAGE1' } },
      ]);
      expect(text?.text).not.toContain('is lit');
      expect(text?.text).toMatch(
        /passage 1: .*page 2", attached[^]*passage 2: .*\nA lamp[^]*passage 3: .*page 1", att/,
      );
      expect(sources).toHaveLength(3);
    });

    it('sends their text to a model without vision', async () => {
      retrieval.chunks = [pageOf(2)];
      await ask('plain', {});
      expect(provider.last.body.messages.at(-1)?.content).toContain('The lamp of page 2 is lit.');
    });

    it('omits a page whose image was deleted meanwhile', async () => {
      retrieval.chunks = [{ ...pageOf(2), imageKey: '' }, pageOf(1)];
      const { sources, metadata } = await ask('plain', { llm_config: { vision: true } });
      expect(sources).toMatchObject([{ chunk_number: 0 }]);
      expect(metadata).toMatchObject({ context_chunks: 1, dropped_chunks: 1 });
    });

    it('accepts a query image', async () => {
      const body = { query: null, query_image: IMAGE, use_colpali: true, chat_id: 'c' };
      await ask('plain', { ...body, llm_config: { vision: true } });
      expect(JSON.stringify(provider.last.body.messages.at(-1)?.content)).toContain(`base64,${IMAGE}`);
      await expect(stored('c')).resolves.toEqual(['user: [image]', `assistant: ${USUAL_ANSWER}`]);
      await expect(ask('plain', body)).rejects.toMatchObject({ items: [{ loc: ['body', 'query_image'] }] });
    });
  });
});
