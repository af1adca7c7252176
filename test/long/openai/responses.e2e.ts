import OpenAI, { type APIError, BadRequestError, NotFoundError, toFile } from 'openai';
import type {
  Response,
  ResponseCreateParams,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { CompletionService } from '../../support/completion-service.js';
import { USUAL_ANSWER } from '../../support/fake-provider/answers.js';
import { Service } from '../../support/service.js';

jest.setTimeout(180_000);

const KEEPER = 'The keeper is relieved every Tuesday at noon.';
const LAMP = 'The lamp burns two litres of oil in a night.';
const QUESTION = 'When is the keeper relieved?';
const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';

type Body = Omit<ResponseCreateParams, 'stream'> & { readonly end_user_id?: string };

const clock = (name = 'clock') =>
  ({
    type: 'function',
    name,
    description: 'The present time in a zone.',
    parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
    strict: null,
  }) as unknown as OpenAI.Responses.FunctionTool;

function refusal(request: Promise<unknown>): Promise<APIError> {
  return request.then(
    () => {
      throw new Error('the request succeeded');
    },
    (error: unknown) => error as APIError,
  );
}

/** Creates a vector store with one file per text. */
async function storeOf(client: OpenAI, texts: Readonly<Record<string, string>>): Promise<string> {
  const { id } = await client.vectorStores.create({ name: 'harbour' });
  for (const [name, text] of Object.entries(texts)) {
    const file = await client.files.create({
      file: await toFile(Buffer.from(text), name),
      purpose: 'assistants',
    });
    await client.vectorStores.files.createAndPoll(id, { file_id: file.id, attributes: { name } });
  }
  return id;
}

const typesOf = (events: readonly ResponseStreamEvent[]): string[] => {
  const types = events.map(({ type }) => type);
  return types.filter((type, at) => type !== types[at - 1]);
};

describe('responses of the OpenAI protocol, with a language model,', () => {
  let home: CompletionService;
  let client: OpenAI;
  let store: string;
  beforeAll(async () => {
    home = await CompletionService.start();
    client = new OpenAI({ apiKey: home.service.adminKey, baseURL: `${home.service.url}/v1`, maxRetries: 0 });
    store = await storeOf(client, { 'keeper.txt': KEEPER, 'lamp.txt': LAMP });
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  /** Returns a response of the model with this behaviour. */
  const ask = (model: string, body: Body): Promise<Response> =>
    client.responses.create({ model: 'lectern', ...body, llm_config: { model } } as never);
  const events = async (model: string, body: Body): Promise<ResponseStreamEvent[]> => {
    const stream = (await client.responses.create({
      model: 'lectern',
      ...body,
      stream: true,
      llm_config: { model },
    } as never)) as unknown as AsyncIterable<ResponseStreamEvent>;
    const received: ResponseStreamEvent[] = [];
    for await (const event of stream) received.push(event);
    return received;
  };
  const search = (more: object = {}) =>
    ({ type: 'file_search', vector_store_ids: [store], ...more }) as OpenAI.Responses.FileSearchTool;

  it('answer a text with the model alone', async () => {
    const response = await ask('text:Hello there.', {
      input: QUESTION,
      instructions: 'Be brief.',
      temperature: 0.2,
      max_output_tokens: 64,
      metadata: { ticket: '7' },
    });
    expect(response).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/) as string,
      object: 'response',
      status: 'completed',
      model: 'lectern',
      output_text: 'Hello there.',
      instructions: 'Be brief.',
      temperature: 0.2,
      max_output_tokens: 64,
      metadata: { ticket: '7' },
      incomplete_details: null,
      error: null,
      usage: { input_tokens: 11, output_tokens: 7, total_tokens: 18 },
      output: [
        {
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hello there.', annotations: [], logprobs: [] }],
        },
      ],
    });
    expect(home.provider.completions.map(({ body }) => body)).toEqual([
      expect.objectContaining({
        temperature: 0.2,
        max_tokens: 64,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: QUESTION },
        ],
      }),
    ]);
  });

  it('accept messages with and without a type, as frameworks send them', async () => {
    await ask('plain', {
      input: [
        { role: 'developer', content: 'Speak plainly.' },
        { role: 'user', content: [{ type: 'input_text', text: 'One.' }] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Two.' }] },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { role: 'user', content: 'Three?' },
      ] as never,
    });
    expect(home.provider.last.body.messages).toEqual([
      { role: 'system', content: 'Speak plainly.' },
      { role: 'user', content: 'One.' },
      { role: 'assistant', content: 'Two.' },
      { role: 'user', content: 'Three?' },
    ]);
  });

  it('are stored, listed with their input, and deleted', async () => {
    const made = await ask('plain', {
      input: ['One', 'Two', 'Three'].map((content) => ({ role: 'user', content })),
    });
    const { output_text: text, ...rest } = await client.responses.retrieve(made.id);
    expect([{ ...rest, output_text: text }]).toEqual([{ ...made }]);
    const contents: string[] = [];
    for await (const item of client.responses.inputItems.list(made.id, { order: 'asc', limit: 2 })) {
      contents.push((item as unknown as { content: [{ text: string }] }).content[0].text);
    }
    expect(contents).toEqual(['One', 'Two', 'Three']);
    await client.responses.delete(made.id);
    await expect(client.responses.retrieve(made.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.responses.delete(made.id)).rejects.toBeInstanceOf(NotFoundError);

    const unkept = await ask('plain', { input: 'One', store: false });
    expect(unkept).toMatchObject({ store: false });
    await expect(client.responses.retrieve(unkept.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('continue a previous response without its instructions', async () => {
    const first = await ask('text:Tuesday.', { input: QUESTION, instructions: 'Be brief.' });
    const second = await ask('text:At noon.', { input: 'And when?', previous_response_id: first.id });
    const third = await ask('plain', { input: 'Sure?', previous_response_id: second.id });
    expect(third.previous_response_id).toBe(second.id);
    expect(home.provider.last.body.messages).toEqual([
      { role: 'user', content: QUESTION },
      { role: 'assistant', content: 'Tuesday.' },
      { role: 'user', content: 'And when?' },
      { role: 'assistant', content: 'At noon.' },
      { role: 'user', content: 'Sure?' },
    ]);
    await client.responses.delete(first.id);
    const error = await refusal(ask('plain', { input: 'Sure?', previous_response_id: second.id }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' });
    expect(error.message).toContain(`Previous response with id '${first.id}' not found.`);
  });

  it('resolve referenced items, and reject unknown ones', async () => {
    const first = await ask('text:Tuesday.', { input: QUESTION });
    const { data } = await client.responses.inputItems.list(first.id);
    const ids = [data[0]?.id ?? '', first.output[0]?.id ?? ''];
    await ask('plain', {
      input: [
        ...ids.map((id) => ({ type: 'item_reference', id })),
        { role: 'user', content: 'Sure?' },
      ] as never,
    });
    expect(home.provider.last.body.messages.map(({ content }) => content)).toEqual([
      QUESTION,
      'Tuesday.',
      'Sure?',
    ]);
    const error = await refusal(ask('plain', { input: [{ type: 'item_reference', id: 'msg_1' }] as never }));
    expect(error).toMatchObject({ status: 400, param: 'input.0.id' });
  });

  it('belong to their tenant and end user', async () => {
    const { id } = await ask('plain', { input: QUESTION, end_user_id: 'ann' });
    await expect(client.responses.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
    expect(await client.responses.retrieve(id, { end_user_id: 'ann' } as never)).toMatchObject({ id });
    for (const end_user_id of [undefined, 'bob']) {
      const body = { input: 'Sure?', previous_response_id: id, ...(end_user_id && { end_user_id }) };
      expect(await refusal(ask('plain', body))).toMatchObject({ code: 'previous_response_not_found' });
    }
    await expect(client.responses.delete(id)).rejects.toBeInstanceOf(NotFoundError);

    await home.service.client.post('/apps', { app_id: 'other' });
    const issued = await home.service.client.post('/keys', { name: 'o', scopes: ['admin'], app_id: 'other' });
    const { key } = issued.json() as { key: string };
    const other = new OpenAI({ apiKey: key, baseURL: `${home.service.url}/v1`, maxRetries: 0 });
    const mine = await ask('plain', { input: QUESTION });
    await expect(other.responses.retrieve(mine.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(other.responses.delete(mine.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(other.responses.inputItems.list(mine.id)).rejects.toBeInstanceOf(NotFoundError);
    expect(
      await refusal(other.responses.create({ model: 'lectern', input: 'x', previous_response_id: mine.id })),
    ).toMatchObject({ code: 'previous_response_not_found' });
    expect(
      await refusal(other.responses.create({ model: 'lectern', input: QUESTION, tools: [search()] })),
    ).toMatchObject({ status: 404 });
  });

  it.each([
    ['query', 200],
    ['read', 403],
    ['write', 403],
  ])('answer a key for %s alone with %i', async (scope, status) => {
    const issued = await home.service.client.post('/keys', { name: scope, scopes: [scope] });
    const keyed = home.service.as((issued.json() as { key: string }).key);
    const { id } = await ask('plain', { input: QUESTION });
    expect((await keyed.post('/v1/responses', { model: 'lectern', input: 'x' })).status).toBe(status);
    expect((await keyed.get(`/v1/responses/${id}`)).status).toBe(status);
    expect((await keyed.get(`/v1/responses/${id}/input_items`)).status).toBe(status);
  });

  it('follow a schema', async () => {
    const schema = {
      type: 'object',
      properties: { day: { type: 'string' } },
      required: ['day'],
      additionalProperties: false,
    };
    const format = { type: 'json_schema', name: 'day', schema, strict: true } as const;
    const response = await ask('obeys-after-repair', { input: QUESTION, text: { format } });
    expect(JSON.parse(response.output_text)).toEqual({ day: 'x' });
    expect(response.text).toMatchObject({ format });

    const received = await events('obeys-after-repair', { input: QUESTION, text: { format } });
    const deltas = received.flatMap((event) =>
      event.type === 'response.output_text.delta' ? event.delta : [],
    );
    expect(JSON.parse(deltas.join(''))).toEqual({ day: 'x' });

    const wrong = { ...format, schema: { type: 'nonsense' } };
    expect(await refusal(ask('obeys', { input: QUESTION, text: { format: wrong } }))).toMatchObject({
      status: 400,
      param: expect.stringMatching(/^text\.format\.schema/) as string,
    });
  });

  it('are incomplete when the model stops at a limit', async () => {
    const response = await ask('tokens:9|finish:length', { input: QUESTION, max_output_tokens: 16 });
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ status: 'incomplete' }],
    });
    expect(response.usage?.total_tokens).toBe(18);
    const received = await events('tokens:9|finish:length', { input: QUESTION });
    expect(received.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', usage: { total_tokens: 18 } },
    });
  });

  it('search the files of the named stores, and cite them without labels', async () => {
    const response = await ask(`text:Every Tuesday [[1]]. At noon [[1]] [[9]].`, {
      input: QUESTION,
      tools: [search({ max_num_results: 1, filters: { type: 'eq', key: 'name', value: 'keeper.txt' } })],
      include: ['file_search_call.results'],
    });
    const [call, message] = response.output as [
      OpenAI.Responses.ResponseFileSearchToolCall,
      OpenAI.Responses.ResponseOutputMessage,
    ];
    expect(call).toMatchObject({
      type: 'file_search_call',
      status: 'completed',
      queries: [QUESTION],
      results: [{ filename: 'keeper.txt', text: KEEPER, attributes: { name: 'keeper.txt' } }],
    });
    expect(response.output_text).toBe('Every Tuesday. At noon.');
    const fileId = call.results?.[0]?.file_id;
    expect(fileId).toMatch(/^file-/);
    expect(message.content).toMatchObject([
      {
        annotations: [
          { type: 'file_citation', file_id: fileId, filename: 'keeper.txt', index: 13, quote: KEEPER },
          { type: 'file_citation', file_id: fileId, filename: 'keeper.txt', index: 22, quote: KEEPER },
        ],
      },
    ]);
    expect(home.provider.last.question).toContain(KEEPER);
    expect(home.provider.last.question).not.toContain(LAMP);
    const stored = await client.responses.retrieve(response.id);
    expect(stored.output).toEqual(response.output);

    const without = await ask('plain', { input: QUESTION, tools: [search()] });
    expect(without.output[0]).toMatchObject({ type: 'file_search_call', results: null });
  });

  it('search for nothing unless a tool names a store', async () => {
    for (const body of [
      {},
      { tools: [clock()] },
      { tools: [search()], tool_choice: 'none' },
    ] as Partial<Body>[]) {
      await ask('plain', { input: QUESTION, ...body });
      expect(home.provider.last.raw).not.toContain('Tuesday');
    }
  });

  it('stream every event of the protocol in its order', async () => {
    const body = { input: QUESTION, tools: [search({ max_num_results: 1 })] };
    const received = await events('text:Every Tuesday [[1]].', body);
    expect(typesOf(received)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.annotation.added',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(received.map(({ sequence_number: number }) => number)).toEqual([...received.keys()]);
    const deltas = received.flatMap((event) =>
      event.type === 'response.output_text.delta' ? event.delta : [],
    );
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe('Every Tuesday.');
    const last = received.at(-1);
    if (last?.type !== 'response.completed') throw new Error('the response is not completed');
    expect(last.response.usage?.total_tokens).toBe(18);
    expect(await client.responses.retrieve(last.response.id)).toMatchObject({
      status: 'completed',
      output: last.response.output,
    });

    const raw = await home.service.client.post('/v1/responses', {
      model: 'lectern',
      input: 'x',
      stream: true,
    });
    expect(raw.text).toMatch(/^id: 0\nevent: response\.created\ndata: \{"type":"response\.created"/);
    const helper = client.responses.stream({ model: 'lectern', ...body });
    expect((await helper.finalResponse()).output_text).toBe(USUAL_ANSWER);
  });

  it('fail with an HTTP status before the first event, and with two events after it', async () => {
    expect(await refusal(events('status:500', { input: QUESTION }))).toMatchObject({ status: 502 });
    expect(await refusal(ask('status:500', { input: QUESTION }))).toMatchObject({ status: 502 });

    const answer = await home.service.client.post('/v1/responses', {
      model: 'lectern',
      input: QUESTION,
      stream: true,
      llm_config: { model: 'tokens:20|breaks' },
    });
    const data = answer.text
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice(6)) as Record<string, unknown>);
    const [error, failed] = data.slice(-2);
    expect(error).toMatchObject({
      type: 'error',
      message: expect.any(String) as string,
      error: { type: 'server_error', message: error?.['message'] },
    });
    expect(failed).toMatchObject({
      type: 'response.failed',
      sequence_number: data.length - 1,
      response: { status: 'failed', error: { code: 'server_error', message: error?.['message'] } },
    });
    await expect(events('tokens:20|breaks', { input: QUESTION })).rejects.toThrow();
  });

  it('call functions over several rounds', async () => {
    const first = await ask('calls:clock', {
      input: 'What time is it?',
      tools: [clock(), clock('calendar')],
    });
    expect(first).toMatchObject({
      status: 'completed',
      output_text: '',
      output: [
        {
          id: expect.stringMatching(/^fc_/) as string,
          type: 'function_call',
          call_id: 'call_fake',
          name: 'clock',
          arguments: '{"zone":"x"}',
          status: 'completed',
        },
      ],
    });
    const unanswered = await refusal(ask('plain', { input: 'Well?', previous_response_id: first.id }));
    expect(unanswered).toMatchObject({ status: 400, param: 'input' });
    expect(unanswered.message).toContain('No tool output found for function call call_fake');

    const output = { type: 'function_call_output', call_id: 'call_fake', output: 'Noon.' } as const;
    const second = await ask('text:It is noon.', {
      input: [output],
      previous_response_id: first.id,
      tools: [clock()],
      parallel_tool_calls: false,
    });
    expect(second.output_text).toBe('It is noon.');
    expect(home.provider.last.body).toMatchObject({
      parallel_tool_calls: false,
      messages: [
        { role: 'user', content: 'What time is it?' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'call_fake', function: { name: 'clock', arguments: '{"zone":"x"}' } }],
        },
        { role: 'tool', tool_call_id: 'call_fake', content: 'Noon.' },
      ],
    });
    const third = await ask('calls:clock', {
      input: 'And in Rome?',
      previous_response_id: second.id,
      tools: [clock()],
    });
    expect(third.output).toMatchObject([{ type: 'function_call', name: 'clock' }]);

    const orphan = await refusal(ask('plain', { input: [output] }));
    expect(orphan.message).toContain('No tool call found for function call output with call_id call_fake');
  });

  it.each(['required', { type: 'function', name: 'clock' }] as const)(
    'call a function that has to be called (%j)',
    async (choice) => {
      const body = { input: QUESTION, tools: [clock()], tool_choice: choice };
      const called = [{ type: 'function_call', name: 'clock', arguments: '{"zone":"x"}' }];
      expect((await ask('obeys', body)).output).toMatchObject(called);
      const received = await events('obeys', body);
      expect(received.at(-1)).toMatchObject({ type: 'response.completed', response: { output: called } });
    },
  );

  it('stream calls', async () => {
    const received = await events('calls:clock', { input: QUESTION, tools: [clock()] });
    expect(typesOf(received)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    const spoken = await events('thinks:Wait.|calls:clock', { input: QUESTION, tools: [clock()] });
    expect(typesOf(spoken).slice(2)).toEqual([
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(spoken.at(-1)).toMatchObject({
      response: { output: [{ type: 'message' }, { type: 'function_call', arguments: '{"zone":"x"}' }] },
    });
  });

  it('accept members without effect', async () => {
    const idle: object = {
      reasoning: { effort: 'low' },
      truncation: 'auto',
      service_tier: 'auto',
      prompt_cache_key: 'k',
      safety_identifier: 's',
      user: 'u',
      text: { verbosity: 'low' },
      include: ['reasoning.encrypted_content'],
      background: false,
      conversation: null,
    };
    const response = await ask('plain', { input: QUESTION, ...idle });
    expect(response.output_text).toBe(USUAL_ANSWER);
  });

  it.each<[string, object, string]>([
    ['another tool', { tools: [{ type: 'web_search' }] }, 'tools.0.type'],
    [
      'a tool without stores',
      { tools: [{ type: 'file_search', vector_store_ids: [] }] },
      'tools.0.vector_store_ids',
    ],
    ['a choice of an unknown tool', { tool_choice: { type: 'function', name: 'x' } }, 'tool_choice'],
    ['a call without tools', { tool_choice: 'required' }, 'tool_choice'],
    ['a background response', { background: true }, 'background'],
    ['a prompt', { prompt: { id: 'p' } }, 'prompt'],
    ['few tokens', { max_output_tokens: 1 }, 'max_output_tokens'],
    ['an unknown item', { input: [{ type: 'computer_call' }] }, 'input.0.type'],
    [
      'a file',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] },
      'input.0.content.0.type',
    ],
    [
      'an address of an image',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.b/c.png' }] }] },
      'input.0.content.0.image_url',
    ],
    [
      'an image for a model that reads none',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: PICTURE }] }] },
      'input',
    ],
    ['an empty input', { input: [] }, 'input'],
    ['a long text', { input: 'keeper '.repeat(150_000) }, 'input'],
    ['long instructions', { instructions: 'Be brief. '.repeat(60_000) }, 'instructions'],
  ])('reject %s at its location', async (_, body, param) => {
    const error = await refusal(ask('plain', { input: QUESTION, ...body }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toBe(param);
    expect(home.provider.completions).toEqual([]);
  });

  it('send pictures to a vision model', async () => {
    const content = [
      { type: 'input_text', text: 'What is it?' },
      { type: 'input_image', image_url: PICTURE, detail: 'auto' },
    ];
    await client.responses.create({
      model: 'lectern',
      input: [{ role: 'user', content }],
      llm_config: { model: 'plain', vision: true },
    } as never);
    expect(home.provider.last.body.messages[0]?.content).toEqual([
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: PICTURE } },
    ]);
    await client.responses.create({
      model: 'lectern',
      input: [{ role: 'user', content }],
      tools: [search()],
      llm_config: { model: 'plain', vision: true },
    } as never);
    expect(home.provider.last.body.messages.at(-1)?.content).toEqual([
      { type: 'text', text: expect.stringContaining(KEEPER) as string },
      { type: 'image_url', image_url: { url: PICTURE } },
    ]);
  });

  it('cannot be cancelled or streamed later', async () => {
    const { id } = await ask('plain', { input: QUESTION });
    await expect(client.responses.cancel(id)).rejects.toBeInstanceOf(BadRequestError);
    const error = await refusal(client.responses.retrieve(id, { stream: true }));
    expect(error).toMatchObject({ status: 400, param: 'stream' });
  });

  it('name an unknown store', async () => {
    const tools = [search({ vector_store_ids: [`vs_${'0'.repeat(32)}`] })];
    expect(await refusal(ask('plain', { input: QUESTION, tools }))).toMatchObject({ status: 404 });
  });
});

describe('responses of the OpenAI protocol, without a language model,', () => {
  let service: Service;
  let client: OpenAI;
  let store: string;
  beforeAll(async () => {
    service = await Service.start();
    client = new OpenAI({ apiKey: service.adminKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
    store = await storeOf(client, { 'keeper.txt': KEEPER, 'lamp.txt': LAMP });
  });
  afterAll(() => service.stop());

  it('quote the best passages of the named stores', async () => {
    const response = await client.responses.create({
      model: 'lectern',
      input: QUESTION,
      tools: [{ type: 'file_search', vector_store_ids: [store] }, clock()],
    });
    expect(response.output_text).toBe(KEEPER);
    expect(response.output).toMatchObject([
      { type: 'file_search_call' },
      {
        content: [{ annotations: [{ type: 'file_citation', filename: 'keeper.txt', index: KEEPER.length }] }],
      },
    ]);
    expect(response.usage).toMatchObject({ input_tokens: 0, output_tokens: 0, total_tokens: 0 });
  });

  it('name the tool that is missing, and the members that need a model', async () => {
    const error = await refusal(client.responses.create({ model: 'lectern', input: QUESTION }));
    expect(error).toMatchObject({ status: 400, param: 'tools' });
    expect(error.message).toContain('file_search');
    const tools: OpenAI.Responses.Tool[] = [{ type: 'file_search', vector_store_ids: [store] }];
    const long = 'keeper '.repeat(150_000);
    expect(await refusal(client.responses.create({ model: 'lectern', input: long, tools }))).toMatchObject({
      status: 400,
      param: 'input',
    });
    const text = { format: { type: 'json_object' } } as const;
    expect(
      await refusal(client.responses.create({ model: 'lectern', input: QUESTION, tools, text })),
    ).toMatchObject({ status: 400, param: 'text.format' });
  });
});
