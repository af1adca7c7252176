import type OpenAI from 'openai';
import {
  clock,
  createStore,
  KEEPER,
  LAMP,
  openAiClient,
  PICTURE,
  QUESTION,
  refusal,
  ResponsesService,
  searchOf,
  type ResponseBody,
} from '../../support/responses.js';
import { Service } from '../../support/service.js';

describe('responses of the OpenAI protocol, with a language model,', () => {
  let home: ResponsesService;
  let client: OpenAI;
  let store: string;
  beforeAll(async () => {
    home = await ResponsesService.start();
    ({ client } = home);
    store = await createStore(client);
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  it('search the files of the named stores, and cite them without labels', async () => {
    const response = await home.ask(`text:Every Tuesday [[1]]. At noon [[1]] [[9]].`, {
      input: QUESTION,
      tools: [
        searchOf(store, { max_num_results: 1, filters: { type: 'eq', key: 'name', value: 'keeper.txt' } }),
      ],
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

    const without = await home.ask('plain', { input: QUESTION, tools: [searchOf(store)] });
    expect(without.output[0]).toMatchObject({ type: 'file_search_call', results: null });
  });

  it('search for nothing unless a tool names a store', async () => {
    for (const body of [
      {},
      { tools: [clock()] },
      { tools: [searchOf(store)], tool_choice: 'none' },
    ] as Partial<ResponseBody>[]) {
      await home.ask('plain', { input: QUESTION, ...body });
      expect(home.provider.last.raw).not.toContain('Tuesday');
    }
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
      tools: [searchOf(store)],
      llm_config: { model: 'plain', vision: true },
    } as never);
    expect(home.provider.last.body.messages.at(-1)?.content).toEqual([
      { type: 'text', text: expect.stringContaining(KEEPER) as string },
      { type: 'image_url', image_url: { url: PICTURE } },
    ]);
  });

  it('name an unknown store', async () => {
    const tools = [searchOf(store, { vector_store_ids: [`vs_${'0'.repeat(32)}`] })];
    expect(await refusal(home.ask('plain', { input: QUESTION, tools }))).toMatchObject({ status: 404 });
  });
});

describe('responses of the OpenAI protocol, without a language model,', () => {
  let service: Service;
  let client: OpenAI;
  let store: string;
  beforeAll(async () => {
    service = await Service.start();
    client = openAiClient(service, service.adminKey);
    store = await createStore(client);
  });
  afterAll(() => service.stop());

  it('quote the best passages of the named stores', async () => {
    const response = await client.responses.create({
      model: 'lectern',
      input: QUESTION,
      tools: [searchOf(store), clock()],
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
    const tools: OpenAI.Responses.Tool[] = [searchOf(store)];
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
