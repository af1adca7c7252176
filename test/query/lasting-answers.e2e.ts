import { LecternClient } from '@lectern/client';
import type { Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import { EventReader, type SentEvent } from '../support/event-reader.js';
import { readEvents, type ReceivedEvent, streamedText } from '../support/event-stream.js';
import { Random } from '../support/random.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

const QUESTION = 'When does the harbour open?';
/** Full size: CUTS=200. */
const CUTS = Number(process.env['CUTS'] ?? 15);

interface Message {
  readonly content: string;
  readonly stopped?: boolean;
}

interface Running {
  readonly answer_id: string;
  readonly chat_id: string | null;
  readonly query: string | null;
}

describe('an answer that outlives its connection', () => {
  let home: CompletionService;
  let admin: Client;
  let ids = 0;
  const newId = (): string => `answer-${(ids += 1)}`;

  beforeAll(async () => {
    home = await CompletionService.start({ SHUTDOWN_DELAY_MS: '0' });
    admin = home.service.client;
    await new Documents(() => admin).ingestText('The harbour opens at six.');
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  const bodyFor = (behaviour: string, id: string, more: object = {}): object => ({
    query: QUESTION,
    stream_response: true,
    answer_id: id,
    llm_config: { model: behaviour },
    ...more,
  });
  const ask = (
    behaviour: string,
    id: string,
    more: object = {},
    client = admin,
    signal?: AbortSignal,
  ): Promise<Response> =>
    client.fetch('POST', '/query', {
      body: bodyFor(behaviour, id, more),
      ...(signal === undefined ? {} : { signal }),
    });
  /** Asks, and leaves at the first event. */
  const askAndLeave = async (
    behaviour: string,
    id: string,
    more: object = {},
    client = admin,
  ): Promise<void> => {
    const leaving = new AbortController();
    const { body, status } = await ask(behaviour, id, more, client, leaving.signal);
    expect(status).toBe(200);
    await body?.getReader().read();
    leaving.abort();
  };
  const eventsOf = (id: string, from?: string): string =>
    `/answers/${id}/events${from === undefined ? '' : `?last_event_id=${from}`}`;
  const rest = async (id: string, from?: string, client = admin): Promise<ReceivedEvent[]> =>
    readEvents(await client.fetch('GET', eventsOf(id, from)));
  const chat = async (id: string, client = admin): Promise<Message[]> =>
    (await client.get(`/chat/${id}`)).json() as Message[];
  const running = async (query = '', client = admin): Promise<Running[]> =>
    (await client.get(`/answers${query}`)).json() as Running[];
  const keyOf = async (more: object): Promise<{ readonly id: string; readonly client: Client }> => {
    const made = await admin.post('/keys', { name: 'k', scopes: ['read', 'query', 'write'], ...more });
    const { id, key } = made.json() as { id: string; key: string };
    return { id, client: home.service.as(key) };
  };

  it('is written to its end when the connection ends, and is in its chat', async () => {
    const id = newId();
    await askAndLeave('tokens:20|halfway:left', id, { chat_id: 'left' });
    expect(await running('?chat_id=left')).toMatchObject([
      { answer_id: id, chat_id: 'left', query: QUESTION, replace_from: null },
    ]);
    expect(await running('?chat_id=other')).toEqual([]);
    home.provider.release('left');
    const events = await rest(id);
    expect(events.at(-1)).toMatchObject({ type: 'done', metadata: { message_index: 1 } });
    const [, answer] = await chat('left');
    expect(answer).not.toHaveProperty('stopped');
    expect(answer?.content).toBe(streamedText(events));
    expect(answer?.content.split(' ')).toHaveLength(20);
    expect(home.provider.last.aborted).toBe(false);
    expect(await running()).toEqual([]);
  });

  it('ends with its connection without an answer_id', async () => {
    const leaving = new AbortController();
    const { body } = await admin.fetch('POST', '/query', {
      body: { ...bodyFor('halfway:never', 'unused'), answer_id: null },
      signal: leaving.signal,
    });
    await body?.getReader().read();
    leaving.abort();
    await until('the call of the model is aborted', () => home.provider.last.aborted);
  });

  it('goes on behind every event', async () => {
    const id = newId();
    const whole = await readEvents(await ask('tokens:12', id, { stream_sources: true }));
    expect(whole.map((event) => event.id)).toEqual(whole.map((_, at) => at));
    expect(whole.map(({ type }) => type)).toEqual(expect.arrayContaining(['sources', 'assistant', 'done']));
    expect(await rest(id)).toEqual(whole);
    for (const { id: last } of whole) expect(await rest(id, String(last))).toEqual(whole.slice(last + 1));
    const header = await admin.fetch('GET', eventsOf(id), { headers: { 'last-event-id': '3' } });
    expect(await readEvents(header)).toEqual(whole.slice(4));
  });

  it('loses and doubles no event, wherever the connections are cut', async () => {
    const random = new Random(61);
    for (let round = 0; round < CUTS; round += 1) {
      const id = newId();
      await askAndLeave(`tokens:40|token-delay:1|splits:${round}`, id);
      const seen: SentEvent[] = [];
      while (seen.at(-1)?.type !== 'done') {
        const reader = await EventReader.open(admin, eventsOf(id), seen.at(-1)?.id);
        for (let left = 1 + random.below(6); left > 0 && reader.seen.at(-1)?.type !== 'done'; left -= 1)
          await reader.next();
        await reader.close();
        seen.push(...reader.seen);
      }
      expect(seen).toEqual((await rest(id)).map((event) => ({ ...event, id: String(event.id) })));
    }
  });

  it('is followed by several at once', async () => {
    const id = newId();
    await askAndLeave('tokens:20|halfway:several', id);
    const followers = [rest(id), rest(id), rest(id, '0')];
    home.provider.release('several');
    const [one, other, later] = await Promise.all(followers);
    expect(one?.at(-1)?.type).toBe('done');
    expect(other).toEqual(one);
    expect(later).toEqual(one?.slice(1));
  });

  it('is the same for a repeated request, which asks the model once', async () => {
    const id = newId();
    await askAndLeave('tokens:20|halfway:again', id, { chat_id: 'again' });
    const again = ask('tokens:20|halfway:again', id, { chat_id: 'again' });
    home.provider.release('again');
    const events = await readEvents(await again);
    expect(events[0]?.id).toBe(0);
    expect(events.at(-1)?.type).toBe('done');
    expect(await chat('again')).toHaveLength(2);
    expect(home.provider.completions).toHaveLength(1);
    const other = await ask('tokens:20', id, { chat_id: 'again' });
    expect([other.status, await other.json()]).toEqual([
      409,
      { detail: 'This answer_id was used for another question' },
    ]);
  });

  it('begins anew after a failure before its first word', async () => {
    const id = newId();
    const failed = await ask('status:400', id);
    expect(failed.status).toBe(502);
    expect((await admin.get(eventsOf(id))).status).toBe(404);
    expect((await readEvents(await ask('tokens:3', id))).at(-1)?.type).toBe('done');
  });

  it('tells those who come later that it failed', async () => {
    const id = newId();
    await askAndLeave('tokens:20|breaks', id, { chat_id: 'failed' });
    const events = await rest(id);
    expect(events.at(-1)).toMatchObject({ type: 'error', status: 502 });
    expect(await chat('failed')).toMatchObject([{}, { stopped: true, content: streamedText(events) }]);
  });

  describe('that is stopped', () => {
    it('is in its chat, as those see who follow it', async () => {
      const id = newId();
      await askAndLeave('tokens:20|halfway:never', id, { chat_id: 'stopped' });
      const following = rest(id);
      const stopped = await admin.post(`/answers/${id}/stop`);
      expect([stopped.status, stopped.json()]).toEqual([
        200,
        { status: 'success', message: 'Answer stopped' },
      ]);
      const stored = await chat('stopped');
      const events = await following;
      expect(events.at(-1)).toEqual({
        id: events.length - 1,
        type: 'stopped',
        message_index: 1,
        chat_revision: 1,
      });
      expect(stored).toMatchObject([{ content: QUESTION }, { stopped: true }]);
      expect(stored[1]?.content).toBe(streamedText(events));
      await until('the call of the model is aborted', () => home.provider.last.aborted);
      expect((await admin.post(`/answers/${id}/stop`)).status).toBe(200);
      expect(await chat('stopped')).toHaveLength(2);
    });

    it('is not stored before its first word', async () => {
      const id = newId();
      const asked = ask('holds:never', id, { chat_id: 'silent' });
      await until('the model is asked', () => home.provider.completions.length > 0);
      expect((await admin.post(`/answers/${id}/stop`)).status).toBe(200);
      expect(await readEvents(await asked)).toEqual([{ id: 0, type: 'stopped' }]);
      expect((await admin.get('/chat/silent')).status).toBe(404);
    });
  });

  describe('for others', () => {
    it('does not exist', async () => {
      const [ann, bob] = [await keyOf({ end_user_id: 'ann' }), await keyOf({ end_user_id: 'bob' })];
      const id = newId();
      await askAndLeave('tokens:20|halfway:others', id, { chat_id: 'mine' }, ann.client);
      const tenant = await admin.post('/cloud/generate_uri', { name: 'other' });
      const foreign = /:([\w.-]+)@/.exec((tenant.json() as { uri: string }).uri)?.[1] ?? null;
      const bound = await admin.post(`/keys/${ann.id}/token`, { folder_name: '/' });
      const strangers = [
        bob.client,
        admin,
        home.service.as(foreign),
        home.service.as((bound.json() as { token: string }).token),
        (await keyOf({})).client,
      ];
      for (const stranger of strangers) {
        const unknown = await stranger.get(eventsOf('unknown'));
        for (const request of [
          stranger.get(eventsOf(id)),
          stranger.post(`/answers/${id}/stop`),
          stranger.get(`/answers/${id}/events?last_event_id=99999`),
        ]) {
          const { status, text } = await request;
          expect([status, text]).toEqual([404, unknown.text]);
        }
        expect(await running('', stranger)).toEqual([]);
      }
      expect((await admin.get(`${eventsOf(id)}?end_user_id=ann`)).status).toBe(404);
      const phone = await keyOf({ end_user_id: 'ann' });
      expect(await running('', phone.client)).toMatchObject([{ answer_id: id, chat_id: 'mine' }]);
      home.provider.release('others');
      expect((await rest(id, undefined, phone.client)).at(-1)?.type).toBe('done');
      // The id is free for everybody else.
      expect((await readEvents(await ask('tokens:3', id, {}, bob.client))).at(-1)?.type).toBe('done');
    });

    it('of an application belongs to the person that it names', async () => {
      const { client } = await keyOf({});
      const id = newId();
      await askAndLeave('tokens:3', id, { end_user_id: 'olga' }, client);
      expect((await client.get(eventsOf(id))).status).toBe(404);
      const named = await client.fetch('GET', `${eventsOf(id)}?end_user_id=olga`);
      expect((await readEvents(named)).at(-1)?.type).toBe('done');
    });

    it('of a token is for this token, or for the next one of its person', async () => {
      const { id: keyId } = await keyOf({});
      const tokenFor = async (body: object): Promise<Client> => {
        const made = await admin.post(`/keys/${keyId}/token`, body);
        return home.service.as((made.json() as { token: string }).token);
      };
      const asked = async (client: Client): Promise<string> => {
        const id = newId();
        await askAndLeave('plain', id, { llm_config: null }, client);
        return id;
      };
      const visitor = await tokenFor({});
      const ofVisitor = await asked(visitor);
      expect((await visitor.get(eventsOf(ofVisitor))).status).toBe(200);
      expect((await (await tokenFor({})).get(eventsOf(ofVisitor))).status).toBe(404);
      const person = { end_user_id: 'pia', folder_name: '/' };
      const ofPerson = await asked(await tokenFor(person));
      expect((await (await tokenFor(person)).get(eventsOf(ofPerson))).status).toBe(200);
      for (const other of [
        { ...person, end_user_id: 'bob' },
        { ...person, folder_name: '/a' },
        { ...person, groups: ['gang'] },
        { ...person, scopes: ['query', 'chats'] },
      ]) {
        expect([other, (await (await tokenFor(other)).get(eventsOf(ofPerson))).status]).toEqual([other, 404]);
      }
    });
  });

  it('ends with its key, although nobody follows it', async () => {
    const { id: keyId, client } = await keyOf({ end_user_id: 'kim' });
    const other = await keyOf({ end_user_id: 'kim' });
    const id = newId();
    await askAndLeave('tokens:20|halfway:never', id, { chat_id: 'ended' }, client);
    const following = rest(id, undefined, other.client);
    await admin.delete(`/keys/${keyId}`);
    expect((await following).at(-1)).toMatchObject({
      type: 'error',
      detail: 'The API key was revoked',
      status: 401,
    });
    await until('the call of the model is aborted', () => home.provider.last.aborted);
    expect(await chat('ended', other.client)).toMatchObject([{ content: QUESTION }, { stopped: true }]);
  });

  it('goes on when its token expires, for the next token of its person', async () => {
    const { id: keyId } = await keyOf({});
    const tokenFor = async (seconds: number): Promise<string> => {
      const wanted = { end_user_id: 'zoe', scopes: ['query'], models: ['tokens:20|halfway:zoe'] };
      const made = await admin.post(`/keys/${keyId}/token`, { ...wanted, expires_in: seconds });
      return (made.json() as { token: string }).token;
    };
    const [id, short] = [newId(), home.service.as(await tokenFor(1))];
    const first = await ask('tokens:20|halfway:zoe', id, {}, short);
    // Its connection ends with it, with an event that has no id.
    expect(await first.text()).toMatch(
      /\n\ndata: \{"type":"error","detail":"The token has expired","status":401\}/,
    );
    expect((await short.get(eventsOf(id))).status).toBe(401);
    home.provider.release('zoe');
    const next = home.service.as(await tokenFor(60));
    expect((await rest(id, undefined, next)).at(-1)?.type).toBe('done');
  });

  it('leaves those who follow it with an ended key', async () => {
    const [first, second] = [await keyOf({ end_user_id: 'lea' }), await keyOf({ end_user_id: 'lea' })];
    const id = newId();
    await askAndLeave('tokens:20|halfway:lea', id, {}, first.client);
    const following = (await second.client.fetch('GET', eventsOf(id))).text();
    await admin.delete(`/keys/${second.id}`);
    // Without an id, so that a connection with another key goes on behind the last event.
    expect(await following).toMatch(
      /\n\ndata: \{"type":"error","detail":"The API key was revoked","status":401\}/,
    );
    home.provider.release('lea');
    expect((await rest(id, undefined, first.client)).at(-1)?.type).toBe('done');
  });

  it('counts against the bound of running answers of its caller', async () => {
    const { client } = await keyOf({ end_user_id: 'max' });
    const begun = Array.from({ length: 20 }, newId);
    for (const id of begun) await askAndLeave('tokens:20|halfway:max', id, {}, client);
    const refused = await ask('tokens:20', newId(), {}, client);
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '5',
      { detail: 'More than 20 answers are being written' },
    ]);
    expect(await running('', client)).toHaveLength(20);
    home.provider.release('max');
    for (const id of begun) await rest(id, undefined, client);
    expect((await readEvents(await ask('tokens:3', newId(), {}, client))).at(-1)?.type).toBe('done');
  });

  it.each([
    ['without a stream', { stream_response: false }, /answer_id requires stream_response/],
    ['with a wrong id', { answer_id: 'a b' }, /1 to 64 letters/],
    ['with an empty id', { answer_id: '' }, /1 to 64 letters/],
  ])('is refused %s', async (_, more, message) => {
    const answer = await admin.post('/query', { ...bodyFor('plain', 'x'), ...more });
    expect([answer.status, answer.text]).toEqual([422, expect.stringMatching(message)]);
  });

  it('goes on behind events that have happened only', async () => {
    const id = newId();
    const { length } = await readEvents(await ask('tokens:3', id));
    for (const from of ['x', '-1', '1.5', String(length)]) {
      expect([from, (await admin.get(eventsOf(id, from))).status]).toEqual([from, 422]);
    }
    expect(await rest(id, String(length - 1))).toEqual([]);
  });

  it('arrives whole at the TypeScript client, however often the network breaks', async () => {
    const proxy = await TcpProxy.start(home.service.url);
    const lectern = new LecternClient({ url: proxy.url, key: home.service.adminKey });
    const id = newId();
    let text = '';
    let interruptions = 0;
    const request = { query: QUESTION, answer_id: id, llm_config: { model: 'tokens:40|token-delay:20' } };
    const onRetry = (): void => {
      interruptions += 1;
    };
    for await (const event of lectern.queryStream(request, { onRetry })) {
      if (event.type !== 'assistant') continue;
      text += event.content;
      if (text.length % 7 === 0) proxy.cut();
    }
    await proxy.close();
    expect(text).toBe(streamedText(await rest(id)));
    expect(text.split(' ')).toHaveLength(40);
    expect(interruptions).toBeGreaterThan(1);
  });

  it('is waited for when the service stops', async () => {
    const id = newId();
    await askAndLeave('tokens:20|halfway:stopping', id, { chat_id: 'stopping' });
    const ended = home.service.terminate();
    await home.service.printed('Stopping on SIGTERM');
    home.provider.release('stopping');
    expect(await ended).toMatchObject({ code: 0 });
    await home.service.restart();
    admin = home.service.client;
    const [, answer] = await chat('stopping');
    expect(answer).not.toHaveProperty('stopped');
    expect(answer?.content.split(' ')).toHaveLength(20);
    const gone = await admin.get(eventsOf(id));
    expect([gone.status, gone.text]).toEqual([404, expect.stringContaining('Its chat has it')]);
  });
});
