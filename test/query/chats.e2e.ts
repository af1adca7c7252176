import { randomUUID } from 'node:crypto';
import { parseQuestions } from '../../cli/src/eval/question-file.js';
import type { Answer, Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import type { SharedService } from '../support/shared-service.js';
import { Documents } from '../support/documents.js';
import { eventsIn, readEvents } from '../support/event-stream.js';
import { until } from '../support/until.js';

interface Message {
  readonly role: string;
  readonly content: string;
  readonly stopped?: true;
  readonly searched?: string;
  readonly model?: string;
  readonly sources?: readonly object[];
  readonly feedback?: object;
  readonly earlier_versions?: number;
}

interface Chat {
  readonly chat_id: string;
  readonly title: string;
  readonly message_count: number;
  readonly search: object;
  readonly revision: number;
}

describe('a chat', () => {
  let home: CompletionService<SharedService>;
  let admin: Client;
  let ann: Client;
  let bob: Client;
  let chat: string;

  const keyOf = async (more: object): Promise<Client> => {
    const made = await admin.post('/keys', { name: 'k', scopes: ['read', 'query', 'write'], ...more });
    return home.service.as((made.json() as { key: string }).key);
  };
  const ask = async (client: Client, query: string, model: string, more: object = {}): Promise<Answer> =>
    client.post('/query', { query, chat_id: chat, llm_config: { model }, ...more });
  const messages = async (client: Client): Promise<Message[]> => {
    const answer = await client.get(`/chat/${chat}`);
    expect(answer.status).toBe(200);
    return answer.json() as Message[];
  };
  const said = async (client: Client): Promise<string[]> =>
    (await messages(client)).map(({ content }) => content);
  const versions = async (client: Client): Promise<{ message_index: number; said: string[] }[]> => {
    const listed = (await client.get(`/chat/${chat}/versions`)).json() as {
      message_index: number;
      messages: Message[];
    }[];
    return listed.map(({ message_index, messages: replaced }) => ({
      message_index,
      said: replaced.map(({ content }) => content),
    }));
  };
  const listed = async (client: Client): Promise<Chat> => {
    const chats = (await client.get('/chats')).json() as Chat[];
    return chats.find(({ chat_id: id }) => id === chat)!;
  };

  beforeAll(async () => {
    home = await CompletionService.shared();
    admin = home.service.client;
    ann = await keyOf({ end_user_id: 'ann' });
    bob = await keyOf({ end_user_id: 'bob' });
    const documents = new Documents(() => admin);
    await documents.ingestText(
      '# Harbour guide\n\n## Boats in winter\n\nThe last boat leaves at noon. In winter boats are rare.',
      {
        filename: 'harbour.md',
        folder_name: '/boats',
      },
    );
    const own = new Documents(() => ann);
    await own.ingestText('# Diary of Ann\n\n## Secret plans\n\nAnn sails to Spain. Her plans are secret.', {
      filename: 'diary.md',
    });
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    chat = `chat-${randomUUID()}`;
    home.provider.forget();
  });

  describe('with a question that replaces an earlier one', () => {
    beforeEach(async () => {
      await ask(ann, 'First question?', 'text:One');
      await ask(ann, 'Second question?', 'text:Two');
      await ask(ann, 'Third question?', 'text:Three');
    });

    it('loses what follows, and the model reads only what comes before', async () => {
      const answer = await ask(ann, 'Another second?', 'text:Four', { replace_from: 2 });
      expect(answer.json()).toMatchObject({ completion: 'Four', metadata: { message_index: 3 } });
      expect(await said(ann)).toEqual(['First question?', 'One', 'Another second?', 'Four']);
      expect(await listed(ann)).toMatchObject({ title: 'First question?', message_count: 4 });
      const prompt = JSON.stringify(home.provider.last.body.messages);
      expect(prompt).toContain('First question?');
      expect(prompt).not.toMatch(/Second question|Third question/);
    });

    it('keeps what it replaces as a version, which only readers of the chat can list', async () => {
      expect(await versions(ann)).toEqual([]);
      const rated = { rating: 'good' };
      await ann.put(`/chat/${chat}/messages/3/feedback`, rated);
      await ask(ann, 'Another second?', 'text:Four', { replace_from: 2 });
      await ask(ann, 'Another second?', 'text:Five', { replace_from: 2 });
      const replaced = [
        { message_index: 2, said: ['Second question?', 'Two', 'Third question?', 'Three'] },
        { message_index: 2, said: ['Another second?', 'Four'] },
      ];
      expect(await versions(ann)).toEqual(replaced);
      expect(await said(ann)).toEqual(['First question?', 'One', 'Another second?', 'Five']);
      const counts = async (): Promise<number[]> =>
        (await messages(ann)).map((one) => one.earlier_versions ?? 0);
      expect(await counts()).toEqual([0, 0, 2, 0]);
      const [first] = (await ann.get(`/chat/${chat}/versions`)).json() as { messages: object[] }[];
      expect(first?.messages[1]).toMatchObject({
        role: 'assistant',
        feedback: rated,
      });
      // The rating belongs to the replaced answer, not to the one now shown in its place.
      expect((await messages(ann))[3]).not.toHaveProperty('feedback');
      expect((await bob.get(`/chat/${chat}/versions`)).status).toBe(404);
      expect(await listed(ann)).toMatchObject({ message_count: 4, last_message: { content: 'Five' } });

      await ask(ann, 'A new beginning?', 'text:Six', { replace_from: 0 });
      await ask(ann, 'Second question?', 'text:Seven');
      expect(await counts()).toEqual([1, 0, 0, 0]);
      expect((await versions(ann)).at(-1)).toEqual({
        message_index: 0,
        said: ['First question?', 'One', 'Another second?', 'Five'],
      });
      await ann.call('DELETE', `/chats/${chat}`);
      expect((await ann.get(`/chat/${chat}/versions`)).status).toBe(404);
    });

    it('keeps the versions of the last 20 replacements', async () => {
      for (let count = 1; count <= 22; count += 1) {
        await ask(ann, `Edit ${count}?`, 'text:One', { replace_from: 4 });
      }
      const kept = (await versions(ann)).map((one) => one.said[0]);
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([20, 'Edit 2?', 'Edit 21?']);
    });

    it('keeps all of it when no answer comes', async () => {
      expect((await ask(ann, 'Another?', 'status:400', { replace_from: 0 })).status).toBe(502);
      expect(await said(ann)).toHaveLength(6);
    });

    it('takes its title from the new first question, unless it was renamed', async () => {
      await ask(ann, 'A better first?', 'text:One', { replace_from: 0 });
      expect(await listed(ann)).toMatchObject({ title: 'A better first?', message_count: 2 });
      await ann.call('PATCH', `/chats/${chat}/title?title=Mine`);
      await ask(ann, 'Another first?', 'text:One', { replace_from: 0 });
      expect(await listed(ann)).toMatchObject({ title: 'Mine' });
    });

    it('rejects a place that it does not have, and does not ask the model', async () => {
      home.provider.forget();
      const late = await ask(ann, 'Another?', 'plain', { replace_from: 8 });
      expect([late.status, late.json()]).toEqual([
        409,
        { detail: 'The chat has 6 messages, so replace_from cannot be 8' },
      ]);
      const odd = await ask(ann, 'Another?', 'plain', { replace_from: 1 });
      expect([odd.status, odd.json()]).toMatchObject([422, { detail: [{ loc: ['body', 'replace_from'] }] }]);
      const none = await ann.post('/query', { query: 'Q', replace_from: 0 });
      expect([none.status, none.json()]).toMatchObject([
        422,
        { detail: [{ loc: ['body', 'replace_from'] }] },
      ]);
      expect(home.provider.completions).toEqual([]);
    });

    it('is stored once if its place is the end of the chat and it is sent twice', async () => {
      await ask(ann, 'Fourth question?', 'text:Four', { replace_from: 6 });
      expect(await versions(ann)).toEqual([]);
      const again = await ask(ann, 'Fourth question?', 'text:Five', { replace_from: 6 });
      expect(again.json()).toMatchObject({ metadata: { message_index: 7 } });
      expect((await said(ann)).slice(6)).toEqual(['Fourth question?', 'Five']);
      expect(await versions(ann)).toEqual([{ message_index: 6, said: ['Fourth question?', 'Four'] }]);
    });

    it('begins a chat at its first place only', async () => {
      chat = `chat-${randomUUID()}`;
      expect((await ask(ann, 'Anyone?', 'plain', { replace_from: 2 })).status).toBe(409);
      await ask(ann, 'Anyone?', 'text:One', { replace_from: 0 });
      expect(await said(ann)).toEqual(['Anyone?', 'One']);
      expect(await versions(ann)).toEqual([]);
    });

    it('of another person is out of reach', async () => {
      expect((await ask(bob, 'Mine now?', 'plain', { replace_from: 2 })).status).toBe(409);
      await ask(bob, 'Mine now?', 'text:Mine', { replace_from: 0 }); // a chat of Bob with the same id
      expect(await said(bob)).toEqual(['Mine now?', 'Mine']);
      expect(await said(ann)).toHaveLength(6);
    });
  });

  it('is not continued by a question that knows an earlier state, whatever has changed', async () => {
    const known = async (): Promise<number> => (await listed(ann)).revision;
    const first = await ask(ann, 'First question?', 'text:One', { chat_revision: 0 });
    expect(first.json()).toMatchObject({ metadata: { message_index: 1, chat_revision: 1 } });
    expect(await known()).toBe(1);
    const second = { chat_revision: 1, stream_response: true };
    const events = eventsIn((await ask(ann, 'Second question?', 'text:Two', second)).text);
    expect(events.at(-1)).toMatchObject({ metadata: { message_index: 3, chat_revision: 2 } });
    await ask(ann, 'Another second?', 'text:Three', { chat_revision: 2, replace_from: 2 });
    home.provider.forget();
    for (const stale of [
      { chat_revision: 2, replace_from: 2 },
      { chat_revision: 2 },
      { chat_revision: 0 },
      { chat_revision: 2, stream_response: true, answer_id: randomUUID() },
    ]) {
      const answer = await ask(ann, 'Who is late?', 'text:No', stale);
      expect([answer.status, answer.text]).toEqual([
        409,
        expect.stringContaining('The chat has changed: its revision is 3'),
      ]);
    }
    expect(home.provider.completions).toEqual([]);
    expect(await said(ann)).toEqual(['First question?', 'One', 'Another second?', 'Three']);
    const alone = await ann.post('/query', { query: 'Who?', chat_revision: 1 });
    expect([alone.status, alone.text]).toEqual([422, expect.stringContaining('requires chat_id')]);
  });

  it('is pinned, put into a folder and found by its words by its own person only', async () => {
    await ask(ann, 'Where does the ferry moor?', 'text:At Torvig, beside the mill.');
    const older = chat;
    chat = `chat-${randomUUID()}`;
    await ask(ann, 'Something else?', 'text:Else');
    const list = async (client: Client, query = ''): Promise<Chat[]> =>
      (await client.get(`/chats?${query}`)).json() as Chat[];
    const change = (client: Client, body: object): Promise<Answer> =>
      client.call('PATCH', `/chats/${older}`, { body });
    expect((await change(ann, { pinned: true, chat_folder: 'Winter' })).status).toBe(200);
    expect((await list(ann))[0]).toMatchObject({ chat_id: older, pinned: true, chat_folder: 'Winter' });
    expect((await list(ann, 'chat_folder=Winter')).map(({ chat_id: id }) => id)).toEqual([older]);
    expect(await list(ann, 'q=MILL%20torvig')).toMatchObject([
      { chat_id: older, match: 'At Torvig, beside the mill.' },
    ]);
    expect(await list(ann, 'q=ferry%20else')).toEqual([]);
    expect(await list(bob, 'q=mill')).toEqual([]);
    expect((await change(bob, { pinned: false })).status).toBe(404);
    expect((await change(ann, { chat_folder: null, title: 'Ferry' })).status).toBe(200);
    expect((await list(ann))[0]).toMatchObject({ title: 'Ferry', pinned: true, chat_folder: null });
    expect((await change(ann, { title: ' ' })).status).toBe(422);
  });

  it('is not found by words that are withheld from its person since', async () => {
    const made = await admin.post('/ingest/text', {
      content: 'The password of the lighthouse is kelpforest.',
      access_control: { readers: ['user:ann'] },
    });
    expect(made.status).toBe(200);
    const { external_id: id } = made.json() as { external_id: string };
    await until('it is read', async () => {
      const status = (await admin.get(`/documents/${id}`)).json() as { system_metadata: { status: string } };
      return status.system_metadata.status === 'completed';
    });
    const question = 'What is the password of the lighthouse?';
    const asked = await ask(ann, question, 'extractive');
    expect(asked.text).toContain('kelpforest');
    expect((await ann.call('PATCH', `/chats/${chat}`, { body: { title: 'Else' } })).status).toBe(200);
    const withSecret = chat;
    const found = async (words: string, limit = 100): Promise<(string | null)[]> => {
      const chats = (await ann.get(`/chats?q=${words}&limit=${limit}`)).json() as (Chat & {
        match: string;
      })[];
      expect(chats.every(({ chat_id }) => chat_id === withSecret)).toBe(true);
      return chats.map(({ match }) => match);
    };
    expect(await found('kelpforest')).toHaveLength(1);
    await admin.call('PATCH', `/documents/${id}`, { body: { access_control: { readers: ['user:bob'] } } });
    expect(await found('kelpforest')).toEqual([]);
    // The answer repeats words of the question, which are not withheld.
    expect(await found('password%20lighthouse')).toEqual([question]);
    expect(await found('password%20lighthouse', 1)).toEqual([question]);
    expect(await found('password%20kelpforest')).toEqual([]);
  });

  it('is found behind chats whose words are withheld', async () => {
    const own = await keyOf({ name: 'dora', end_user_id: 'dora' });
    const secret = await new Documents(() => admin).ingestText('The winch is called bollardine.', {
      access_control: { readers: ['user:dora'] },
    });
    await ask(own, 'Is it bollardine?', 'text:Perhaps.');
    const first = chat;
    for (let times = 0; times < 3; times += 1) {
      chat = `chat-${randomUUID()}`;
      await ask(own, 'What is the winch called?', 'extractive');
    }
    const found = async (): Promise<string[]> =>
      ((await own.get('/chats?q=bollardine&limit=1')).json() as Chat[]).map(({ chat_id: id }) => id);
    expect(await found()).toEqual([chat]);
    await admin.call('PATCH', `/documents/${secret.external_id}`, {
      body: { access_control: { readers: ['user:bob'] } },
    });
    expect(await found()).toEqual([first]);
  });

  it('is chosen among those of one id by its owner', async () => {
    const shop = await keyOf({ name: 'shop' });
    await ask(ann, 'Of Ann?', 'text:One');
    await ask(shop, 'Of the shop?', 'text:Two');
    const ids = async (client: Client, own: string): Promise<(string | null)[]> =>
      ((await client.get(`/chats?own=${own}`)).json() as (Chat & { end_user_id: string | null })[])
        .filter(({ chat_id: id }) => id === chat)
        .map(({ title, end_user_id: person }) => `${title} ${person ?? ''}`.trim());
    expect(await ids(admin, 'true')).toEqual([]);
    expect(await ids(admin, 'false')).toEqual(['Of the shop?', 'Of Ann? ann']);
    expect(await ids(ann, 'true')).toEqual(['Of Ann? ann']);
    expect(await ids(ann, 'false')).toEqual([]);
    expect(await ids(shop, 'false')).toEqual([]);
    expect((await admin.get(`/chat/${chat}?own=true`)).status).toBe(404);
    expect((await ann.get(`/chat/${chat}?own=false`)).status).toBe(404);
    await ask(admin, 'Of the administrators?', 'text:Three');
    expect(await ids(admin, 'true')).toEqual(['Of the administrators?']);
    await ann.call('DELETE', `/chats/${chat}`);
    expect((await admin.get(`/chat/${chat}?own=false`)).json()).toMatchObject([
      { content: 'Of the shop?' },
      {},
    ]);
    await admin.call('DELETE', `/chats/${chat}?own=false`);
    expect(await ids(admin, 'true')).toEqual(['Of the administrators?']);
    expect(await ids(admin, 'false')).toEqual([]);
    const wrong = await admin.get('/chats?own=perhaps');
    expect([wrong.status, wrong.json()]).toMatchObject([422, { detail: [{ loc: ['query', 'own'] }] }]);
  });

  it('keeps the text of a stopped answer, and the next question sees it', async () => {
    const leaving = new AbortController();
    const body = {
      query: 'How does it go on?',
      chat_id: chat,
      stream_response: true,
      llm_config: { model: 'tokens:200|token-delay:5' },
    };
    const response = await ann.fetch('POST', '/query', { body, signal: leaving.signal });
    const reader = response.body!.getReader();
    let seen = '';
    while (seen.split('assistant').length < 60) seen += Buffer.from((await reader.read()).value).toString();
    leaving.abort();
    await until('the chat is stored', async () => (await ann.get(`/chat/${chat}`)).status === 200);
    const [question, answer] = await messages(ann);
    expect(question).toMatchObject({ content: 'How does it go on?' });
    expect(answer).toMatchObject({
      stopped: true,
      content: expect.stringMatching(/^word0 word1/) as string,
    });
    expect(answer!.content).not.toContain('word199');
    expect(answer!.sources!.length).toBeGreaterThan(0);
    await ask(ann, 'Which boat leaves in winter?', 'plain');
    expect(JSON.stringify(home.provider.last.body.messages)).toContain('word0 word1');
  });

  it('begins its stream with the sources on request', async () => {
    const body = { query: 'When does the last boat leave?', stream_response: true };
    const events = async (more: object) =>
      readEvents(await admin.fetch('POST', '/query', { body: { ...body, ...more } }));
    const [first, ...rest] = await events({ stream_sources: true });
    expect(first).toMatchObject({ type: 'sources' });
    expect(first!['sources']).toEqual(rest.at(-1)!['sources']);
    expect((await events({}))[0]).toMatchObject({ type: 'assistant' });
  });

  it('keeps the search options of its last question, with every digit', async () => {
    const search = { folder_name: '/boats', folder_depth: -1, filters: { size: { $gte: 1 } }, k: 7 };
    await ask(ann, 'Which boat?', 'plain', search);
    expect((await listed(ann)).search).toEqual(search);
    const exact = '{"query":"Which?","chat_id":"c","filters":{"n":9007199254740993}}'.replace(
      '"c"',
      `"${chat}"`,
    );
    await ann.post('/query', exact);
    expect((await ann.get('/chats')).text).toContain('"search":{"filters":{"n":9007199254740993}}');
    await ask(ann, 'Which boat?', 'plain');
    expect((await listed(ann)).search).toEqual({});
  });

  it('searches for the words of the questions that a follow-up depends on, without a language model', async () => {
    const extractive = 'extractive';
    await ask(ann, 'When does the last boat leave in winter?', extractive);
    await ask(ann, 'And the first?', extractive);
    await ask(ann, 'And why?', extractive);
    const [, , , second, , third] = await messages(ann);
    expect(second!.searched).toMatch(/^And the first\?.*boat leave winter/);
    expect(third!.searched).toMatch(/^And why\?.*boat leave winter/);
    expect([second!.model, third!.model]).toEqual([extractive, extractive]);
    expect(home.provider.completions).toEqual([]);
  });

  it('says how many documents are not searched yet', async () => {
    const { metadata } = (await ask(ann, 'Which boat?', 'plain')).json() as {
      metadata: { documents_processing: number };
    };
    expect(metadata.documents_processing).toBe(0);
    // A text of many chunks takes long enough to be seen.
    const text = Array.from({ length: 3_000 }, (_, index) => `Sentence ${index} of a long text.`).join(
      '\n\n',
    );
    await bob.post('/ingest/text', { content: text });
    const processingFor = async (client: Client): Promise<number> => {
      const answer = await client.post('/query', { query: 'Which boat?' });
      return (answer.json() as { metadata: { documents_processing: number } }).metadata.documents_processing;
    };
    expect(await Promise.all([processingFor(bob), processingFor(ann)])).toEqual([1, 0]);
  });

  describe('with feedback', () => {
    const path = (index: number | string): string => `/chat/${chat}/messages/${index}/feedback`;
    const feedback = async (query = ''): Promise<Record<string, unknown>[]> =>
      ((await admin.get(`/feedback?limit=1000${query}`)).json() as Record<string, unknown>[]).filter(
        ({ chat_id: id }) => id === chat,
      );
    beforeEach(async () => {
      const cited = 'text:The last boat leaves at noon [[1]].';
      await ask(ann, 'When does the last boat leave?', cited, {
        inline_citations: true,
        folder_name: '/boats',
      });
    });

    it('shows it at its answer, and lists it for administrators with the person', async () => {
      const rated = await ann.put(path(1), { rating: 'bad', comment: 'It leaves at one.' });
      expect([rated.status, rated.json()]).toEqual([200, { status: 'success', message: 'Feedback stored' }]);
      const [, answer] = await messages(ann);
      expect(answer!.feedback).toEqual({ rating: 'bad', comment: 'It leaves at one.' });
      expect(await feedback()).toMatchObject([
        {
          chat_id: chat,
          end_user_id: 'ann',
          rating: 'bad',
          comment: 'It leaves at one.',
          question: 'When does the last boat leave?',
          search: { folder_name: '/boats' },
          citations: [{ filename: 'harbour.md' }],
        },
      ]);
      await ann.put(path(1), { rating: 'good' });
      expect(await feedback('&rating=bad')).toEqual([]);
      expect(await feedback('&rating=good&end_user_id=ann')).toHaveLength(1);
      expect(await feedback('&end_user_id=bob')).toEqual([]);
    });

    it('keeps it when the answer is replaced, and loses it with the chat', async () => {
      await ann.put(path(1), { rating: 'bad' });
      await ask(ann, 'When does the last boat leave?', 'plain', { replace_from: 0 });
      const [, answer] = await messages(ann);
      expect(answer!.feedback).toBeUndefined();
      expect(await feedback()).toMatchObject([
        { rating: 'bad', answer: expect.stringContaining('noon') as string },
      ]);
      await ann.put(path(1), { rating: 'good' });
      expect((await feedback()).map(({ rating }) => rating)).toEqual(['good', 'bad']);
      await ann.delete(`/chats/${chat}`);
      expect(await feedback()).toEqual([]);
    });

    it('is listed and exported for an administrator with an end user only from own chats', async () => {
      const boss = await keyOf({ scopes: ['admin'], end_user_id: 'boss' });
      const cited = 'text:The last boat leaves at noon [[1]].';
      await ask(boss, 'When does the last ferry leave?', cited, { inline_citations: true });
      for (const client of [ann, boss]) await client.put(path(1), { rating: 'good' });
      expect((await feedback()).map(({ end_user_id: person }) => person)).toEqual(['boss', 'ann']);
      expect((await boss.get('/feedback')).json()).toMatchObject([{ chat_id: chat, end_user_id: 'boss' }]);
      const exported = parseQuestions((await boss.get('/feedback/questions')).text);
      expect(exported.questions.map(({ text }) => text)).toEqual(['When does the last ferry leave?']);
      expect((await boss.get('/feedback?end_user_id=ann')).status).toBe(403);
    });

    it('can be withdrawn', async () => {
      await ann.put(path(1), { rating: 'bad' });
      expect((await ann.delete(path(1))).status).toBe(200);
      expect(await feedback()).toEqual([]);
      expect((await ann.delete(path(1))).json()).toEqual({ detail: 'The answer at index 1 has no feedback' });
    });

    it('is refused for questions, unknown answers and chats of other people', async () => {
      for (const index of [0, 2]) {
        const answer = await ann.put(path(index), { rating: 'good' });
        expect([answer.status, answer.json()]).toEqual([
          404,
          { detail: `The chat has no answer at index ${index}` },
        ]);
      }
      for (const action of [bob.put(path(1), { rating: 'good' }), bob.delete(path(1))]) {
        const { status, text } = await action;
        expect([status, text]).toEqual([404, '{"detail":"Chat not found"}']);
      }
      expect((await ann.put(path(1), { rating: 'superb' })).status).toBe(422);
      expect((await ann.put(path('x'), { rating: 'good' })).status).toBe(422);
      expect(await feedback()).toEqual([]);
      for (const list of ['/feedback', '/feedback/questions']) expect((await ann.get(list)).status).toBe(403);
    });

    it('becomes questions that lectern eval reads', async () => {
      await ann.put(path(1), { rating: 'good' });
      const exported = await admin.get('/feedback/questions');
      expect(exported.headers.get('content-type')).toContain('application/x-ndjson');
      const { questions, problems } = parseQuestions(exported.text);
      expect(problems).toEqual([]);
      const question = questions.find(({ text }) => text === 'When does the last boat leave?')!;
      expect(question.scope).toEqual({ folder_name: '/boats', end_user_id: 'ann' });
      expect(question.expected.quote).toContain('The last boat leaves at noon');
      expect(Object.keys(question.expected.documents)).toHaveLength(1);
    });
  });

  describe('begins with suggestions', () => {
    const suggestions = async (client: Client, query = ''): Promise<string[]> =>
      ((await client.get(`/suggestions${query}`)).json() as { questions: string[] }).questions;

    it('from the documents that the key may read', async () => {
      expect(await suggestions(ann)).toContain('What is there to know about “Secret plans”?');
      expect((await suggestions(bob, '?limit=20')).join()).not.toContain('Secret');
      expect(await suggestions(bob, '?limit=20')).toContain('What is there to know about “Boats in winter”?');
    });

    it('which leave out private documents for a key without an end user', async () => {
      const everything = (await suggestions(admin, '?limit=20')).join();
      expect(everything).toContain('Boats in winter');
      expect(everything).not.toContain('Secret');
      expect(await suggestions(admin, '?limit=20&end_user_id=ann')).toContain(
        'What is there to know about “Secret plans”?',
      );
    });

    it('within a folder', async () => {
      const inBoats = await suggestions(ann, '?folder_name=/boats');
      expect(inBoats).toEqual(['What is there to know about “Boats in winter”?']);
      expect(await suggestions(ann, '?folder_name=/none')).toEqual([]);
    });

    it('at most as many as asked for', async () => {
      expect((await suggestions(ann, '?limit=1')).length).toBe(1);
      expect((await ann.get('/suggestions?limit=0')).status).toBe(422);
    });
  });

  it('can start with the demo documents, once, for a key that writes', async () => {
    const writer = await keyOf({});
    const reader = await keyOf({ scopes: ['read', 'query'] });
    expect((await reader.post('/ingest/demo')).status).toBe(403);
    const loaded = await writer.post('/ingest/demo');
    const names = (loaded.json() as { filename: string }[]).map(({ filename }) => filename);
    expect(names).toEqual([
      'ferry-visitor-information.html',
      'greenhouse-controller-manual.md',
      'observatory-annual-report-2025.pdf',
    ]);
    expect((await writer.post('/ingest/demo')).json()).toEqual([]);
  });
});
