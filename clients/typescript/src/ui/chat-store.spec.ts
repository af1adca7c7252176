import { LecternClient } from '../index.js';
import { ChatStore } from './chat-store.js';

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly timestamp: string;
  readonly earlier_versions?: number;
}

const said = (role: Message['role'], content: string, more: Partial<Message> = {}): Message => ({
  role,
  content,
  timestamp: '2026-01-01T00:00:00Z',
  ...more,
});

type Ending = 'whole' | 'broken' | 'stored and broken';

/** A service with one chat, and what it was asked. */
function serviceWith(messages: Message[], endings: Ending[] = []) {
  const asked: Record<string, unknown>[] = [];
  const reads: string[] = [];
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (request.method === 'GET') {
      reads.push(pathname);
      if (pathname.endsWith('/versions')) {
        const old = { message_index: 0, messages: [said('user', 'First?'), said('assistant', 'Old.')] };
        return Response.json([old, { ...old, message_index: 2 }]);
      }
      return messages.length === 0
        ? Response.json({ detail: 'No chat' }, { status: 404 })
        : Response.json(messages);
    }
    const body = (await request.json()) as { query: string; replace_from?: number };
    asked.push(body);
    const at = body.replace_from ?? messages.length;
    const ending = endings.shift() ?? 'whole';
    if (ending !== 'broken')
      messages.splice(at, Infinity, said('user', body.query), said('assistant', 'It is.'));
    const events: object[] = [{ type: 'assistant', content: 'It is.' }];
    const metadata = { model: 'm', message_index: at + 1 };
    if (ending === 'whole')
      events.push({ type: 'done', usage: {}, finish_reason: 'stop', sources: [], metadata });
    return new Response(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  };
  const client = new LecternClient({ url: 'http://lectern.test', fetch: answer, retry: { retries: 0 } });
  return { client, asked, reads, messages };
}

const questions = (store: ChatStore): (string | null)[] =>
  store.get().exchanges.map(({ question }) => question);

describe('a chat', () => {
  it('asks again in the place of the question, and counts the versions', async () => {
    const { client, asked, reads } = serviceWith([]);
    const store = new ChatStore(client, { k: 4 });
    await store.ask('First?');
    await store.ask('Second?');
    await store.retry();
    const { chatId: chat_id, exchanges } = store.get();
    expect(asked).toMatchObject([
      { query: 'First?', chat_id, k: 4 },
      { query: 'Second?', chat_id },
      { query: 'Second?', chat_id, replace_from: 2 },
    ]);
    expect(asked[1]).not.toHaveProperty('replace_from');
    expect(exchanges).toMatchObject([
      { question: 'First?', at: 0, state: 'done', earlierVersions: 0 },
      { question: 'Second?', at: 2, state: 'done', earlierVersions: 1, text: 'It is.' },
    ]);
    expect(reads).toEqual([]);
  });

  it('asks something else in the place of a question and of those behind it', async () => {
    const { client, asked, messages } = serviceWith([]);
    const store = new ChatStore(client);
    await store.ask('First?');
    await store.ask('Second?');
    await store.edit(0, 'Another?');
    expect(asked.at(-1)).toMatchObject({ query: 'Another?', replace_from: 0 });
    expect(questions(store)).toEqual(['Another?']);
    expect(messages).toHaveLength(2);
  });

  it.each([
    ['was not stored', 'broken', { at: 2, earlierVersions: 0 }],
    ['was stored', 'stored and broken', { at: 2, earlierVersions: 1 }],
  ] as const)('stores a question once if it broke off and %s', async (_name, ending, expected) => {
    const { client, messages } = serviceWith([said('user', 'First?'), said('assistant', 'One.')], [ending]);
    const store = new ChatStore(client, {}, 'mine');
    await store.load();
    await store.ask('Second?');
    expect(store.get().exchanges.at(-1)).toMatchObject({ state: 'failed', text: 'It is.', at: null });
    await store.retry();
    expect(store.get().exchanges.at(-1)).toMatchObject({ state: 'done', ...expected });
    expect(messages.map(({ content }) => content)).toEqual(['First?', 'One.', 'Second?', 'It is.']);
  });

  it('shows what is stored, and what was replaced', async () => {
    const stored = [said('user', 'First?', { earlier_versions: 1 }), said('assistant', 'One.')];
    const { client } = serviceWith(stored);
    const store = new ChatStore(client);
    store.open('mine');
    await store.load();
    expect(store.get()).toMatchObject({
      chatId: 'mine',
      isLoading: false,
      exchanges: [{ question: 'First?', text: 'One.', state: 'done', earlierVersions: 1 }],
    });
    expect(await store.versions(0)).toMatchObject([{ question: 'First?', text: 'Old.' }]);
  });

  it('stops the answer before the next question', async () => {
    const { client } = serviceWith([]);
    const store = new ChatStore(client);
    await Promise.all([store.ask('First?'), store.ask('Second?')]);
    expect(store.get().exchanges).toMatchObject([
      { question: 'First?', state: 'stopped' },
      { question: 'Second?', state: 'done' },
    ]);
  });
});
