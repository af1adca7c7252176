import { randomUUID } from 'node:crypto';
import { CompletionService } from '../support/completion-service.js';
import type { Answer } from '../support/client.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

const FOLDER = '/pumps';
const ROWS = {
  E10: 'Error E10 means that the pump is blocked by sand.',
  E11: 'Error E11 means that the valve of the pump stays open.',
};
const TEXT = `${ROWS.E10}\n\n${ROWS.E11}\n\nThe pump of the harbour weighs forty kilograms.`;

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly [member: string]: unknown;
}

/** Sends a conversation to a door. The last message is the question. */
type Door = (service: SharedService, conversation: readonly Message[], more?: object) => Promise<Answer>;

/** The folder as a vector store. */
async function storeOf(service: SharedService): Promise<string> {
  const { data } = (await service.client.get('/v1/vector_stores?limit=100')).json() as {
    data: readonly { id: string; name: string }[];
  };
  return data.find(({ name }) => name.endsWith('pumps'))?.id ?? '';
}

const chatCompletion: Door = (service, messages, more = {}) =>
  service.client.post('/v1/chat/completions', {
    model: 'lectern',
    messages,
    metadata: { folder_name: FOLDER },
    ...more,
  });

const fileSearch: Door = async (service, conversation, more = {}) =>
  service.client.post('/v1/responses', {
    model: 'lectern',
    input: conversation.flatMap(itemsOf),
    tools: [{ type: 'file_search', vector_store_ids: [await storeOf(service)], max_num_results: 4 }],
    ...more,
  });

const responseAlone: Door = (service, conversation, more = {}) =>
  service.client.post('/v1/responses', { model: 'lectern', input: conversation.flatMap(itemsOf), ...more });

/** The items of a message in the form of the Responses API. */
function itemsOf({ role, content, ...rest }: Message): object[] {
  if (role === 'tool') {
    return [{ type: 'function_call_output', call_id: rest['tool_call_id'], output: content }];
  }
  const calls = (rest['tool_calls'] ?? []) as readonly { id: string; function: object }[];
  return [
    ...(content === null ? [] : [{ role, content }]),
    ...calls.map(({ id, function: called }) => ({ type: 'function_call', call_id: id, ...called })),
  ];
}

/** POST /query and the tool `ask` have no messages: the stored chat is the conversation. */
const query: Door = async (service, conversation, more = {}) => {
  const chat = randomUUID();
  const questions = conversation.filter(({ role }) => role === 'user');
  let answer: Answer | undefined;
  for (const { content } of questions) {
    answer = await service.client.post('/query', {
      query: content,
      chat_id: chat,
      folder_name: FOLDER,
      ...more,
    });
  }
  if (answer === undefined) throw new Error('no question');
  return answer;
};

const ask: Door = (service, conversation) =>
  service.client.post(
    '/mcp',
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'ask', arguments: { query: conversation.at(-1)?.content, folder_name: FOLDER } },
    },
    { headers: { accept: 'application/json, text/event-stream' } },
  );

/** The text of an answer. @throws Error if the door refuses the conversation */
function textIn({ status, text }: Answer): string {
  if (status !== 200) throw new Error(`${status} ${text}`);
  const body = JSON.parse(text) as {
    completion?: string;
    choices?: [{ message: { content: string } }];
    output?: readonly { type: string; content: [{ text: string }] }[];
    result?: { content: [{ text: string }] };
  };
  const message = body.output?.find(({ type }) => type === 'message');
  const said = body.completion ?? body.choices?.[0].message.content ?? message?.content[0].text;
  return said ?? (body.result?.content[0].text ?? '').replace(/\n\nSources:[^]*$/, '');
}

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

describe('every door answers alike without a language model:', () => {
  let service: SharedService;
  beforeAll(async () => {
    service = await SharedService.enter();
    await new Documents(() => service.client).ingestText(TEXT, {
      filename: 'pumps.txt',
      folder_name: FOLDER,
    });
  });
  afterAll(() => service.stop());

  const FIRST = [user('What does error E10 mean?'), assistant(ROWS.E10)];

  it.each<[string, readonly Door[], readonly Message[], string]>([
    ['a question', [query, ask, chatCompletion, fileSearch], FIRST.slice(0, 1), ROWS.E10],
    [
      'a follow-up with a subject of its own, without a sentence of the previous answer',
      [query, chatCompletion, fileSearch],
      [...FIRST, user('And E11?')],
      ROWS.E11,
    ],
    [
      'a follow-up that only the previous answer fits',
      [query, chatCompletion, fileSearch],
      [
        user('How many kilograms does the pump weigh?'),
        assistant('The pump of the harbour weighs forty kilograms.'),
        user('Tell me more'),
      ],
      'The same passage fits best.\n\nThe pump of the harbour weighs forty kilograms.',
    ],
  ])('%s', async (_, doors, conversation, expected) => {
    for (const door of doors) expect(textIn(await door(service, conversation))).toBe(expected);
  });

  it('a response without a search is refused, because there is nothing to quote', async () => {
    const answer = await responseAlone(service, [user('Hello?')]);
    expect(answer.json()).toMatchObject({ error: { param: 'tools' } });
  });
});

describe('every door answers alike with a language model:', () => {
  let home: CompletionService<SharedService>;
  beforeAll(async () => {
    home = await CompletionService.shared();
    await new Documents(() => home.service.client).ingestText(TEXT, {
      filename: 'pumps.txt',
      folder_name: FOLDER,
    });
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  /** The messages of all model calls, without the random key of the delimiters. */
  const sent = (): unknown[] =>
    home.provider.completions.map(({ body }) => {
      const messages = JSON.stringify(body.messages);
      const key = /begin with \\"([\w-]{12})\\"/.exec(messages)?.[1];
      return JSON.parse(key === undefined ? messages : messages.replaceAll(key, 'KEY')) as unknown;
    });
  const callsAt = async (door: Door, conversation: readonly Message[], more: object): Promise<unknown[]> => {
    home.provider.forget();
    textIn(await door(home.service, conversation, more));
    return sent();
  };
  const model = (behaviour: string, more: object = {}) => ({ llm_config: { model: behaviour, ...more } });

  const CONVERSATION = [
    user('What does error E10 mean?'),
    assistant(`<think>Sand, it says.</think>${ROWS.E10}`),
    user('How heavy is it?'),
  ];

  it('a follow-up is rewritten, searched and prompted by the same calls', async () => {
    const body = model('text:How heavy is the pump?');
    const called = await callsAt(chatCompletion, CONVERSATION, {
      ...body,
      metadata: { folder_name: FOLDER, inline_citations: 'true' },
    });
    expect(called).toHaveLength(2);
    expect(JSON.stringify(called)).not.toContain('Sand, it says.');
    expect(await callsAt(fileSearch, CONVERSATION, body)).toEqual(called);
  });

  it.each<[string, Door]>([
    ['a chat completion', chatCompletion],
    ['a response with file_search', fileSearch],
    ['a response without tools', responseAlone],
  ])('a conversation of 121 messages in a window of 4,096 tokens: %s', async (_, door) => {
    const long = Array.from({ length: 60 }, (__, index) => [
      user(`Question ${index} about the pump: ${'why does it leak '.repeat(10)}`),
      assistant(`Answer ${index}: ${'because of the sand '.repeat(10)}`),
    ]).flat();
    const conversation = [...long, user('And how heavy is it?')];
    await callsAt(door, conversation, model('window:4096', { context_window: 4_096 }));
    const last = JSON.stringify(sent().at(-1));
    expect(last).toContain('Question 59 ');
    expect(last).not.toContain('Question 0 ');
  });

  it.each<[string, Door]>([
    ['a chat completion', chatCompletion],
    ['a response with file_search', fileSearch],
    ['a response without tools', responseAlone],
  ])('earlier function calls are sent as text if the request offers no functions: %s', async (_, door) => {
    const call = { id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{"zone":"x"}' } };
    const conversation: Message[] = [
      user('What time is it?'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Noon.' },
      assistant('It is noon.'),
      user('How heavy is the pump of the harbour?'),
    ];
    const [messages] = (await callsAt(door, conversation, model('plain'))) as [Message[]];
    expect(messages.map(({ role }) => role)).not.toContain('tool');
    expect(JSON.stringify(messages)).not.toContain('tool_calls');
    expect(messages.map(({ content }) => content)).toEqual(expect.arrayContaining(['{"zone":"x"}', 'Noon.']));
  });

  describe('reasoning that was streamed as the answer is not stored, if the caller leaves after its end:', () => {
    const THINKING = 'SECRET! '.repeat(40);
    it.each([
      ['a query', '/query', { query: 'How heavy is the pump?', stream_response: true }],
      [
        'a chat completion',
        '/v1/chat/completions',
        { model: 'lectern', messages: [user('How heavy is the pump?')], stream: true },
      ],
    ])('%s', async (_, path, body) => {
      const chat = randomUUID();
      const held = randomUUID();
      // The pieces are small, so that the stream is held in the middle of the answer.
      const answer = encodeURIComponent(`${THINKING}\n</think>\n\n${'Forty kilograms. '.repeat(30)}`);
      const chosen = path === '/query' ? { chat_id: chat } : { metadata: { chat_id: chat } };
      const response = await home.service.client.fetch('POST', path, {
        body: { ...body, ...chosen, ...model(`encoded:${answer}|pieces:8|halfway:${held}`) },
      });
      let received = '';
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        received += decoder.decode(piece as Uint8Array, { stream: true });
        if (received.includes('Forty')) break; // closes the connection
      }
      home.provider.release(held);
      const turns = await stoppedTurns(home.service, chat);
      expect(received).toContain('SECRET');
      expect(turns).toMatchObject([
        { role: 'user' },
        { role: 'assistant', stopped: true, content: expect.stringMatching(/^Forty/) as string },
      ]);
    });
  });
});

/** Waits until the service has stored the turns of a chat. */
async function stoppedTurns(service: SharedService, chat: string): Promise<Message[]> {
  return until('the turns are stored', async () => {
    const answer = await service.client.get(`/chat/${chat}`);
    const turns = answer.status === 200 ? (answer.json() as Message[]) : [];
    return turns.length > 0 && turns;
  });
}
