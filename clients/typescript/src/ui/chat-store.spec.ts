import { inFakeTime } from '../../../../test/support/in-fake-time.js';
import { LecternClient } from '../index.js';
import { ChatStore } from './chat-store.js';

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly timestamp: string;
  readonly earlier_versions?: number;
  readonly stopped?: true;
}

const said = (role: Message['role'], content: string, more: Partial<Message> = {}): Message => ({
  role,
  content,
  timestamp: '2026-01-01T00:00:00Z',
  ...more,
});

/**
 * How the stream of an answer ends, and what the service does then. `lost`: the answer is gone, as after a restart;
 * `stored and lost`: the chat has it; `open`: it is not complete, and the connection stays.
 */
type Ending = 'whole' | 'lost' | 'stored and lost' | 'open';

interface Running {
  readonly answer_id: string;
  readonly chat_id: string;
  readonly query: string;
  readonly replace_from: number | null;
  readonly begun_at: string;
}

const WORD = { type: 'assistant', content: 'It is.' };

/** A service with one chat, and what it was asked. */
function serviceWith(messages: Message[], endings: Ending[] = []) {
  const asked: Record<string, unknown>[] = [];
  const reads: string[] = [];
  const running: Running[] = [];
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  const wire = (...events: readonly object[]): Uint8Array<ArrayBuffer> =>
    new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
  const opened = (request: Request): Response =>
    new Response(
      new ReadableStream<Uint8Array>({
        start(stream) {
          stream.enqueue(wire(WORD));
          streams.push(stream);
          request.signal.addEventListener('abort', () => {
            const at = streams.indexOf(stream);
            if (at !== -1) streams.splice(at, 1)[0]?.error(request.signal.reason);
          });
        },
      }),
    );
  const store = (query: string, at: number, more: Partial<Message> = {}): void => {
    const earlier = messages[at] === undefined ? {} : { earlier_versions: 1 };
    messages.splice(at, Infinity, said('user', query, earlier), said('assistant', 'It is.', more));
  };
  /** Ends the open answer. */
  const end = (event: object): void => {
    const [answer] = running.splice(0);
    if (answer !== undefined) {
      const more = 'finish_reason' in event ? {} : ({ stopped: true } as const);
      store(answer.query, answer.replace_from ?? messages.length, more);
    }
    for (const stream of streams.splice(0)) {
      stream.enqueue(wire(event));
      stream.close();
    }
  };
  const doneAt = (at: number): object => {
    const metadata = { model: 'm', message_index: at + 1 };
    return { type: 'done', usage: {}, finish_reason: 'stop', sources: [], metadata };
  };
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (request.method === 'GET') {
      reads.push(pathname);
      if (pathname === '/answers') return Response.json(running);
      if (pathname.endsWith('/events')) {
        return running.length > 0 ? opened(request) : Response.json({ detail: 'Not kept' }, { status: 404 });
      }
      if (pathname.endsWith('/versions')) {
        const old = { message_index: 0, messages: [said('user', 'First?'), said('assistant', 'Old.')] };
        return Response.json([old, { ...old, message_index: 2 }]);
      }
      return messages.length === 0
        ? Response.json({ detail: 'No chat' }, { status: 404 })
        : Response.json(messages);
    }
    if (pathname.endsWith('/stop')) {
      reads.push(`stop ${pathname}`);
      if (running.length === 0) return Response.json({ detail: 'Not kept' }, { status: 404 });
      const at = running[0]?.replace_from ?? messages.length;
      end({ type: 'stopped', message_index: at + 1 });
      return Response.json({ status: 'success', message: '' });
    }
    const body = (await request.json()) as { query: string; answer_id: string; replace_from?: number };
    asked.push(body);
    const at = body.replace_from ?? messages.length;
    const ending = endings.shift() ?? 'whole';
    if (ending === 'open') {
      const { answer_id, query, replace_from = null } = body;
      running.push({ answer_id, chat_id: 'mine', query, replace_from, begun_at: '' });
      return opened(request);
    }
    if (ending !== 'lost') store(body.query, at);
    return new Response(wire(WORD, ...(ending === 'whole' ? [doneAt(at)] : [])));
  };
  const client = new LecternClient({ url: 'http://lectern.test', fetch: answer, retry: { retries: 0 } });
  return { client, asked, reads, messages, running, end, doneAt };
}

const questions = (store: ChatStore): (string | null)[] =>
  store.get().exchanges.map(({ question }) => question);

/** Resolves when the store is as expected. */
const whenStore = (store: ChatStore, isMet: () => boolean): Promise<void> =>
  new Promise((resolve) => {
    const leave = store.subscribe(() => {
      if (!isMet()) return;
      leave();
      resolve();
    });
    if (isMet()) resolve();
  });
const last = (store: ChatStore) => store.get().exchanges.at(-1);

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
    expect(new Set(asked.map(({ answer_id: id }) => id)).size).toBe(3);
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

  describe('whose answer is no longer kept', () => {
    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] });
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    it('has it if it was stored', async () => {
      const { client } = serviceWith(
        [said('user', 'First?'), said('assistant', 'One.')],
        ['stored and lost', 'stored and lost'],
      );
      const store = new ChatStore(client, {}, 'mine');
      await store.load();
      await inFakeTime(store.ask('Second?'));
      expect(last(store)).toMatchObject({ state: 'done', text: 'It is.', at: 2, earlierVersions: 0 });
      await inFakeTime(store.retry());
      expect(last(store)).toMatchObject({ state: 'done', text: 'It is.', at: 2, earlierVersions: 1 });
    });

    it('does not take an earlier version for it, and is asked again once', async () => {
      const stored = [said('user', 'First?'), said('assistant', 'One.')];
      const { client, messages } = serviceWith(stored, ['lost']);
      const store = new ChatStore(client, {}, 'mine');
      await store.load();
      await inFakeTime(store.retry());
      expect(last(store)).toMatchObject({ state: 'failed', text: 'It is.', error: { status: 0 } });
      await inFakeTime(store.retry());
      expect(last(store)).toMatchObject({ state: 'done', at: 0 });
      expect(messages.map(({ content }) => content)).toEqual(['First?', 'It is.']);
    });
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

  it('goes on with an answer when it is opened again, and in another store', async () => {
    const { client, end, doneAt, asked } = serviceWith([], ['open']);
    const store = new ChatStore(client, {}, 'mine');
    void store.ask('First?');
    await whenStore(store, () => last(store)?.text === 'It is.');
    store.close();
    const other = new ChatStore(client, {}, 'mine');
    store.open('mine');
    other.open('mine');
    for (const one of [store, other]) {
      await whenStore(one, () => last(one)?.text === 'It is.');
      expect(one.get().exchanges).toMatchObject([{ question: 'First?', state: 'streaming' }]);
    }
    end(doneAt(0));
    for (const one of [store, other]) {
      await whenStore(one, () => last(one)?.state === 'done');
      expect(one.get().exchanges).toMatchObject([{ question: 'First?', at: 0 }]);
    }
    expect(asked).toHaveLength(1);
  });

  it('shows the answer that replaces another one in the place of that one', async () => {
    const stored = [said('user', 'First?'), said('assistant', 'One.')];
    const { client } = serviceWith(stored, ['open']);
    const store = new ChatStore(client, {}, 'mine');
    await store.load();
    void store.retry();
    await whenStore(store, () => last(store)?.text === 'It is.');
    const other = new ChatStore(client, {}, 'mine');
    await other.load();
    await whenStore(other, () => last(other)?.text === 'It is.');
    expect(other.get().exchanges).toMatchObject([{ question: 'First?', at: 0, earlierVersions: 1 }]);
    store.close();
    other.close();
  });

  it('stops the answer at the service, before the next question, as other stores see', async () => {
    const { client, asked, reads, messages } = serviceWith([], ['open']);
    const store = new ChatStore(client, {}, 'mine');
    void store.ask('First?');
    await whenStore(store, () => last(store)?.text === 'It is.');
    const other = new ChatStore(client, {}, 'mine');
    await other.load();
    await whenStore(other, () => last(other)?.text === 'It is.');
    await store.ask('Second?');
    expect(reads.filter((path) => path.startsWith('stop'))).toEqual([
      `stop /answers/${String(asked[0]?.['answer_id'])}/stop`,
    ]);
    expect(store.get().exchanges).toMatchObject([
      { question: 'First?', state: 'stopped', text: 'It is.' },
      { question: 'Second?', state: 'done' },
    ]);
    expect(messages.map(({ content, stopped }) => [content, stopped])).toEqual([
      ['First?', undefined],
      ['It is.', true],
      ['Second?', undefined],
      ['It is.', undefined],
    ]);
    await whenStore(other, () => last(other)?.state === 'stopped');
  });
});
