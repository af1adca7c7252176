import type OpenAI from 'openai';
import { BadRequestError, NotFoundError } from 'openai';
import { USUAL_ANSWER } from '../../support/fake-provider/answers.js';
import {
  createStore,
  openAiClient,
  PICTURE,
  QUESTION,
  refusal,
  ResponsesService,
  searchOf,
} from '../../support/responses.js';

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

  it('answer a text with the model alone', async () => {
    const response = await home.ask('text:Hello there.', {
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
    await home.ask('plain', {
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
    const made = await home.ask('plain', {
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

    const unkept = await home.ask('plain', { input: 'One', store: false });
    expect(unkept).toMatchObject({ store: false });
    await expect(client.responses.retrieve(unkept.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('continue a previous response without its instructions', async () => {
    const first = await home.ask('text:Tuesday.', { input: QUESTION, instructions: 'Be brief.' });
    const second = await home.ask('text:At noon.', { input: 'And when?', previous_response_id: first.id });
    const third = await home.ask('plain', { input: 'Sure?', previous_response_id: second.id });
    expect(third.previous_response_id).toBe(second.id);
    expect(home.provider.last.body.messages).toEqual([
      { role: 'user', content: QUESTION },
      { role: 'assistant', content: 'Tuesday.' },
      { role: 'user', content: 'And when?' },
      { role: 'assistant', content: 'At noon.' },
      { role: 'user', content: 'Sure?' },
    ]);
    await client.responses.delete(first.id);
    const error = await refusal(home.ask('plain', { input: 'Sure?', previous_response_id: second.id }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ code: 'previous_response_not_found', param: 'previous_response_id' });
    expect(error.message).toContain(`Previous response with id '${first.id}' not found.`);
  });

  it('resolve referenced items, and reject unknown ones', async () => {
    const first = await home.ask('text:Tuesday.', { input: QUESTION });
    const { data } = await client.responses.inputItems.list(first.id);
    const ids = [data[0]?.id ?? '', first.output[0]?.id ?? ''];
    await home.ask('plain', {
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
    const error = await refusal(
      home.ask('plain', { input: [{ type: 'item_reference', id: 'msg_1' }] as never }),
    );
    expect(error).toMatchObject({ status: 400, param: 'input.0.id' });
  });

  it('belong to their tenant and end user', async () => {
    const { id } = await home.ask('plain', { input: QUESTION, end_user_id: 'ann' });
    await expect(client.responses.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
    expect(await client.responses.retrieve(id, { end_user_id: 'ann' } as never)).toMatchObject({ id });
    for (const end_user_id of [undefined, 'bob']) {
      const body = { input: 'Sure?', previous_response_id: id, ...(end_user_id && { end_user_id }) };
      expect(await refusal(home.ask('plain', body))).toMatchObject({ code: 'previous_response_not_found' });
    }
    await expect(client.responses.delete(id)).rejects.toBeInstanceOf(NotFoundError);

    await home.service.client.post('/apps', { app_id: 'other' });
    const issued = await home.service.client.post('/keys', { name: 'o', scopes: ['admin'], app_id: 'other' });
    const { key } = issued.json() as { key: string };
    const other = openAiClient(home.service, key);
    const mine = await home.ask('plain', { input: QUESTION });
    await expect(other.responses.retrieve(mine.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(other.responses.delete(mine.id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(other.responses.inputItems.list(mine.id)).rejects.toBeInstanceOf(NotFoundError);
    expect(
      await refusal(other.responses.create({ model: 'lectern', input: 'x', previous_response_id: mine.id })),
    ).toMatchObject({ code: 'previous_response_not_found' });
    expect(
      await refusal(other.responses.create({ model: 'lectern', input: QUESTION, tools: [searchOf(store)] })),
    ).toMatchObject({ status: 404 });
  });

  it.each([
    ['query', 200],
    ['read', 403],
    ['write', 403],
  ])('answer a key for %s alone with %i', async (scope, status) => {
    const issued = await home.service.client.post('/keys', { name: scope, scopes: [scope] });
    const keyed = home.service.as((issued.json() as { key: string }).key);
    const made = await keyed.post('/v1/responses', { model: 'lectern', input: 'x' });
    expect(made.status).toBe(status);
    const { id = `resp_${'0'.repeat(32)}` } = made.json() as { id?: string };
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
    const response = await home.ask('obeys-after-repair', { input: QUESTION, text: { format } });
    expect(JSON.parse(response.output_text)).toEqual({ day: 'x' });
    expect(response.text).toMatchObject({ format });

    const received = await home.events('obeys-after-repair', { input: QUESTION, text: { format } });
    const deltas = received.flatMap((event) =>
      event.type === 'response.output_text.delta' ? event.delta : [],
    );
    expect(JSON.parse(deltas.join(''))).toEqual({ day: 'x' });

    const wrong = { ...format, schema: { type: 'nonsense' } };
    expect(await refusal(home.ask('obeys', { input: QUESTION, text: { format: wrong } }))).toMatchObject({
      status: 400,
      param: expect.stringMatching(/^text\.format\.schema/) as string,
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
    const response = await home.ask('plain', { input: QUESTION, ...idle });
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
    const error = await refusal(home.ask('plain', { input: QUESTION, ...body }));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toBe(param);
    expect(home.provider.completions).toEqual([]);
  });

  it('cannot be cancelled or streamed later', async () => {
    const { id } = await home.ask('plain', { input: QUESTION });
    await expect(client.responses.cancel(id)).rejects.toBeInstanceOf(BadRequestError);
    const error = await refusal(client.responses.retrieve(id, { stream: true }));
    expect(error).toMatchObject({ status: 400, param: 'stream' });
  });
});
