import OpenAI, { BadRequestError } from 'openai';
import type { ChatCompletionCreateParamsNonStreaming as Body } from 'openai/resources/chat/completions';
import { CompletionService } from '../support/completion-service.js';
import { refusal } from '../support/responses.js';
import { Documents, type DocumentRecord } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';
import { USUAL_ANSWER } from '../support/fake-provider/answers.js';

const QUESTION = 'How many kilograms does the blue device weigh?';
const user = (content: string) => ({ role: 'user', content }) as const;

const clock = (name = 'clock') =>
  ({
    type: 'function',
    function: {
      name,
      description: 'The present time in a zone.',
      parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
    },
  }) as const;
const named = { type: 'function', function: { name: 'clock' } } as const;

/** The messages of an agent after a function call. */
const CALLED = [
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{"zone":"x"}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'Noon.' },
] as const;

/** Returns the members that this service adds to the protocol. */
const extensionOf = (answer: unknown) =>
  answer as {
    readonly sources: readonly { readonly document_id: string }[];
    readonly metadata: Readonly<Record<string, string>>;
  };

describe('functions in the OpenAI protocol, with a language model,', () => {
  let home: CompletionService<SharedService>;
  let client: OpenAI;
  let weights: DocumentRecord;
  beforeAll(async () => {
    home = await CompletionService.shared();
    client = new OpenAI({ apiKey: home.service.adminKey, baseURL: `${home.service.url}/v1`, maxRetries: 0 });
    weights = await new Documents(() => home.service.client).ingestText(
      'The blue device weighs two kilograms.',
      { filename: 'weights.txt' },
    );
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  const ask = (model: string, more: Partial<Body> & object) =>
    client.chat.completions.create({
      model: 'lectern',
      messages: [user(QUESTION)],
      ...more,
      llm_config: { model },
    } as Body);

  it("are sent with the passages, and the model's call is returned", async () => {
    const tools = [clock(), clock('calendar')];
    const answer = await ask('calls:calendar', { tools, tool_choice: 'auto', parallel_tool_calls: false });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          { id: 'call_fake', type: 'function', function: { name: 'calendar', arguments: '{"zone":"x"}' } },
        ],
      },
    });
    expect(extensionOf(answer).sources).toMatchObject([{ document_id: weights.external_id }]);
    expect(home.provider.last.body).toMatchObject({ tools, tool_choice: 'auto', parallel_tool_calls: false });
    expect(home.provider.last.question).toContain('weighs two kilograms');
    expect(home.provider.last.texts('system')[0]).toContain('You may call the given functions');
  });

  it('stream their calls in pieces', async () => {
    const runner = client.chat.completions.stream({
      model: 'lectern',
      messages: [user(QUESTION)],
      tools: [clock()],
      llm_config: { model: 'calls:clock' },
    } as never);
    const completion = await runner.finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ id: 'call_fake', function: { name: 'clock', arguments: '{"zone":"x"}' } }] },
    });
  });

  it('are optional for the model', async () => {
    const answer = await ask('plain', { tools: [clock()] });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: USUAL_ANSWER } });
    expect(answer.choices[0]?.message.tool_calls).toBeUndefined();
  });

  it('return results that the model answers from, after the question with its passages', async () => {
    const messages = [user(QUESTION), ...CALLED] as Body['messages'];
    const answer = await ask('calls:clock', { messages, tools: [clock()] });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: USUAL_ANSWER } });
    const { messages: sent } = home.provider.last.body;
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(sent[1]?.content).toContain('weighs two kilograms');
    expect(sent.slice(2)).toEqual(CALLED);
  });

  it('and their results are part of the stored conversation', async () => {
    const turns = [
      user('What time is it?'),
      ...CALLED,
      { role: 'assistant', content: 'Noon.' },
      user(QUESTION),
    ];
    await ask('plain', { messages: turns as Body['messages'], tools: [clock()] });
    const roles = home.provider.last.body.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it.each<[string, Partial<Body>]>([
    ['that is named', { tools: [clock('calendar'), clock()], tool_choice: named }],
    ['that is the only one where one is required', { tools: [clock()], tool_choice: 'required' }],
  ])('one %s is structured output, returned as its call, whole and streamed', async (_, body) => {
    const answer = await ask('obeys-after-repair', body);
    const call = { type: 'function', function: { name: 'clock', arguments: '{"zone":"x"}' } };
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: null, tool_calls: [{ ...call, id: expect.stringMatching(/^call_./) as string }] },
    });
    expect(home.provider.completions).toHaveLength(2);
    expect(home.provider.completions[0]?.body.response_format?.json_schema?.schema).toMatchObject({
      description: 'The present time in a zone.',
      required: ['zone'],
    });
    expect(home.provider.last.body.tools).toBeUndefined();

    const runner = client.chat.completions.stream({
      model: 'lectern',
      messages: [user(QUESTION)],
      ...body,
      llm_config: { model: 'obeys-after-repair' },
    } as never);
    const streamed = await runner.finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls).toMatchObject([call]);
    expect(streamed.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it('required calls with several functions are left to the provider', async () => {
    const answer = await ask('calls:clock', { tools: [clock(), clock('calendar')], tool_choice: 'required' });
    expect(answer.choices[0]?.message.tool_calls).toHaveLength(1);
    expect(home.provider.last.body).toMatchObject({ tool_choice: 'required' });
  });

  it('an invalid forced call is retried with the validation errors', async () => {
    const messages = [user(QUESTION), ...CALLED] as Body['messages'];
    await ask('obeys', { messages, tools: [clock()], tool_choice: named });
    expect(home.provider.last.body.messages.slice(2)).toEqual([
      { role: 'assistant', content: '{"zone":"x"}' },
      { role: 'user', content: 'Noon.' },
    ]);
  });

  it('may be called instead of a structured answer', async () => {
    const schema = { type: 'object', required: ['weight'], properties: { weight: { type: 'integer' } } };
    const form = { type: 'json_schema', json_schema: { name: 'weight', schema } } as const;
    const call = await ask('calls:clock|obeys', { tools: [clock()], response_format: form });
    expect(call.choices[0]?.message.tool_calls).toHaveLength(1);
    const messages = [user(QUESTION), ...CALLED] as Body['messages'];
    const answer = await ask('calls:clock|obeys', { messages, tools: [clock()], response_format: form });
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({ weight: 1 });
  });

  it.each([false, true])(
    'are left out if the provider rejects them, with a warning in the response (stream: %s)',
    async (stream) => {
      const body = {
        model: 'lectern',
        messages: [user(QUESTION)],
        tools: [clock()],
        llm_config: { model: 'no-tools' },
      };
      const response = await home.service.client.fetch('POST', '/v1/chat/completions', {
        body: { ...body, stream },
      });
      const text = await response.text();
      expect(text).toContain('refused the tools (400): the model answered without them');
      expect(home.provider.completions.map(({ body: { tools } }) => tools?.length)).toEqual([1, undefined]);
      const required = { ...body, tools: [clock(), clock('calendar')], tool_choice: 'required' };
      const refused = await home.service.client.post('/v1/chat/completions', required);
      expect(refused.status).toBe(502);
    },
  );

  it('are not stored in a chat before the answer', async () => {
    const chat = { tools: [clock()], metadata: { chat_id: 'agent' } };
    await ask('calls:clock', chat);
    expect((await home.service.client.get('/chat/agent')).status).toBe(404);
    await ask('calls:clock', { ...chat, messages: [user(QUESTION), ...CALLED] as Body['messages'] });
    const turns = (await home.service.client.get('/chat/agent')).json();
    expect(turns).toMatchObject([
      { role: 'user', content: QUESTION },
      { role: 'assistant', content: USUAL_ANSWER },
    ]);
  });

  it.each<[string, object]>([
    ['tools.0.function', { tools: [{ type: 'function' }] }],
    ['tools.0.function.name', { tools: [{ type: 'function', function: {} }] }],
    ['tools.0.type', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    [
      'tools.0.function.parameters',
      {
        tools: [clock(), clock('b')].map((tool) => ({
          ...tool,
          function: { ...tool.function, parameters: { type: 'nothing' } },
        })),
        tool_choice: named,
      },
    ],
    ['tools', { tools: Array.from({ length: 129 }, (_, n) => clock(`f${n}`)) }],
    [
      'tools',
      { tools: Array.from({ length: 20 }, (_, n) => clock(`f${n}`)), llm_config: { context_window: 1_024 } },
    ],
    ['tool_choice', { tools: [clock()], tool_choice: 'any' }],
    ['tool_choice', { tools: [clock('calendar')], tool_choice: named }],
    ['tool_choice', { tool_choice: 'required' }],
    ['messages.1.tool_call_id', { messages: [user(QUESTION), { role: 'tool', content: 'x' }] }],
    [
      'messages.1.tool_calls.0.function',
      {
        messages: [
          user(QUESTION),
          { role: 'assistant', tool_calls: [{ id: 'x', type: 'function' }] },
          user('?'),
        ],
      },
    ],
    ['messages', { messages: [CALLED[1]] }],
    ['messages', { messages: [user(QUESTION), CALLED[0]] }],
  ])('that are invalid are rejected at %s: %j', async (param, body) => {
    const request = client.chat.completions.create({
      model: 'lectern',
      messages: [user(QUESTION)],
      ...body,
    } as Body);
    const error = await refusal(request);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.param).toBe(param);
  });
});

describe('functions in the OpenAI protocol, without a language model,', () => {
  let service: SharedService;
  let client: OpenAI;
  beforeAll(async () => {
    service = await SharedService.enter();
    client = new OpenAI({ apiKey: service.adminKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
    await new Documents(() => service.client).ingestText('The blue device weighs two kilograms.');
  });
  afterAll(() => service.stop());

  const ask = (more: object) =>
    client.chat.completions.create({
      model: 'lectern',
      messages: [user(QUESTION)],
      tools: [clock()],
      ...more,
    } as Body);

  it.each([{}, { tool_choice: 'auto' }, { tool_choice: 'none' }, { messages: [user(QUESTION), ...CALLED] }])(
    'are not called: %j',
    async (more) => {
      const answer = await ask(more);
      expect(answer.choices[0]).toMatchObject({
        finish_reason: 'stop',
        message: { content: expect.stringContaining('weighs two kilograms') as string },
      });
    },
  );

  it.each([
    { tool_choice: 'required' },
    { tool_choice: named },
    { tool_choice: 'required', tools: [clock(), clock('b')] },
  ])('are rejected if a call is forced: %j', async (more) => {
    const error = await refusal(ask(more));
    expect([error.status, error.param]).toEqual([400, 'tool_choice']);
    expect(error.message).toContain('set LLM_MODEL');
  });
});
