import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';
import { until } from '../support/until.js';

interface Message {
  readonly role: string;
  readonly content: string;
  readonly citations?: readonly { readonly document_id: string; readonly quote: string | null }[];
  readonly sources?: readonly { readonly document_id: string; readonly excerpt: string }[];
  readonly withheld?: true;
}

interface SharedChat {
  readonly title: string;
  readonly end_user_id: string | null;
  readonly messages: readonly Message[];
}

interface Link {
  readonly link_id: string;
  readonly expires_at: string | null;
  readonly url: string;
}

const OPEN = 'The last boat leaves Torvig pier at noon in winter.';
const OWN = 'The keeper of Torvig pier earns 4711 crowns a month.';
const NOT_FOUND = { detail: 'Shared chat not found' };

describe('a chat that is shared by a link', () => {
  let home: CompletionService<SharedService>;
  let admin: Client;
  let ann: Client;
  let bob: Client;
  let annsKey: string;
  let open: string;
  let own: string;

  const ok = (answer: Answer): Answer => {
    expect([answer.status, answer.status < 300 ? '' : answer.text]).toEqual([answer.status, '']);
    return answer;
  };
  const keyOf = async (body: object): Promise<{ id: string; key: string }> =>
    ok(await admin.post('/keys', { name: 'k', ...body })).json() as { id: string; key: string };
  const clientOf = async (person: string, scopes: readonly string[]): Promise<Client> =>
    home.service.as((await keyOf({ end_user_id: person, scopes })).key);
  const ask = async (chat: string, documents: readonly string[], model = 'extractive'): Promise<void> => {
    const body = {
      query: 'What do we know of Torvig pier?',
      chat_id: chat,
      inline_citations: true,
      min_score: 0,
      filters: { external_id: { $in: documents } },
      llm_config: { model },
    };
    ok(await ann.post('/query', body));
  };
  const share = async (chat: string, body?: object): Promise<Link> =>
    ok(await ann.post(`/chats/${chat}/link`, body)).json() as Link;
  const read = async (by: Client, { link_id: id }: Pick<Link, 'link_id'>): Promise<SharedChat> =>
    ok(await by.get(`/shared_chats/${id}`)).json() as SharedChat;
  const statusOf = async (by: Client, { link_id: id }: Pick<Link, 'link_id'>): Promise<unknown[]> => {
    const answer = await by.get(`/shared_chats/${id}`);
    return [answer.status, answer.status === 404 ? answer.json() : null];
  };
  const letRead = async (readers: readonly string[]): Promise<void> => {
    ok(await ann.call('PATCH', `/documents/${own}`, { body: { access_control: { readers } } }));
  };
  const withheldIn = ({ messages }: SharedChat): boolean[] =>
    messages.filter(({ role }) => role === 'assistant').map(({ withheld }) => withheld === true);

  beforeAll(async () => {
    home = await CompletionService.shared();
    admin = home.service.client;
    ({ key: annsKey } = await keyOf({ end_user_id: 'ann', scopes: ['read', 'query', 'write'] }));
    ann = home.service.as(annsKey);
    bob = await clientOf('bob', ['read', 'query']);
    ({ external_id: open } = await new Documents(() => admin).ingestText(OPEN, { filename: 'open.txt' }));
    ({ external_id: own } = await new Documents(() => ann).ingestText(OWN, { filename: 'own.txt' }));
  });
  afterAll(() => home.stop());
  beforeEach(() => letRead([]));

  it('is read by others as its owner sees it, without ratings, if they may read its sources', async () => {
    const chat = randomUUID();
    await ask(chat, [open]);
    ok(await ann.put(`/chat/${chat}/messages/1/feedback`, { rating: 'bad', comment: 'My secret opinion.' }));
    const link = await share(chat);
    expect(link).toMatchObject({
      link_id: expect.stringMatching(/^[\w-]{32}$/) as string,
      expires_at: null,
      url: expect.stringMatching(new RegExp(`/#/shared/${link.link_id}$`)) as string,
    });
    const stored = (await ann.get(`/chat/${chat}`)).json() as Message[];
    for (const by of [bob, ann, admin]) {
      const shared = await read(by, link);
      expect(shared).toMatchObject({ title: 'What do we know of Torvig pier?', end_user_id: 'ann' });
      expect(shared.messages).toEqual(
        stored.map((message) => {
          const { feedback: _, searched: __, ...rest } = message as Message & Record<string, unknown>;
          return rest;
        }),
      );
      expect(shared.messages[1]?.content).toContain(OPEN);
      expect(shared.messages[1]?.citations?.[0]).toMatchObject({ document_id: open });
    }
    expect((await bob.get(`/shared_chats/${link.link_id}`)).text).not.toContain('opinion');
  });

  it('tells its owner beforehand how many answers not everybody gets', async () => {
    const chat = randomUUID();
    const sharing = async (): Promise<unknown> => ok(await ann.get(`/chats/${chat}/link`)).json();
    await ask(chat, [open]);
    expect(await sharing()).toEqual({
      link: null,
      answer_count: 1,
      withheld_count: 0,
      hidden_documents: [],
    });
    await ask(chat, [open, own]);
    await ask(chat, [open]);
    expect(await sharing()).toEqual({
      link: null,
      answer_count: 3,
      withheld_count: 1,
      hidden_documents: [{ document_id: own, filename: 'own.txt' }],
    });
    const { link_id, expires_at } = await share(chat);
    expect(await sharing()).toMatchObject({ link: { link_id, expires_at } });
    expect(withheldIn(await read(bob, { link_id }))).toEqual([false, true, false]);
    await letRead(['bob']);
    expect(withheldIn(await read(bob, { link_id }))).toEqual([false, false, false]);
    expect(await sharing()).toMatchObject({ withheld_count: 1 });
    await letRead(['everyone']);
    expect(await sharing()).toMatchObject({ withheld_count: 0, hidden_documents: [] });
    ok(await ann.delete(`/chats/${chat}/link`));
    expect(await sharing()).toMatchObject({ link: null });
  });

  it.each(['extractive', `text:They say: ${OWN} [[1]]`])(
    'withholds an answer of %s while the reader may not read a source of it',
    async (model) => {
      const chat = randomUUID();
      await ask(chat, [own], model);
      const link = await share(chat);
      const hidden = await bob.get(`/shared_chats/${link.link_id}`);
      expect(ok(hidden).text).not.toMatch(/4711|own\.txt/);
      expect((hidden.json() as SharedChat).messages[1]).toEqual({
        role: 'assistant',
        content: '',
        timestamp: expect.any(String) as string,
        citations: [],
        sources: [],
        withheld: true,
      });
      await letRead(['bob']);
      const shown = await read(bob, link);
      expect(withheldIn(shown)).toEqual([false]);
      expect(shown.messages[1]?.content).toContain('4711');
      await letRead([]);
      expect(withheldIn(await read(bob, link))).toEqual([true]);
      expect(withheldIn(await read(ann, link))).toEqual([false]);
    },
  );

  it('keeps of a withheld answer the sources that the reader may read', async () => {
    const chat = randomUUID();
    await ask(chat, [open, own]);
    const { messages } = await read(bob, await share(chat));
    expect(messages[1]).toMatchObject({ withheld: true, content: '', citations: [] });
    expect(messages[1]?.sources?.map(({ document_id: id }) => id)).toEqual([open]);
  });

  it('withholds what a model wrote after it had read a withheld answer, and no quotations', async () => {
    const chat = randomUUID();
    await ask(chat, [open], 'text:At noon. [[1]]');
    await ask(chat, [own], `text:They say: ${OWN} [[1]]`);
    await ask(chat, [open]);
    await ask(chat, [open], 'text:As I said: 4711. [[1]]');
    const link = await share(chat);
    expect(withheldIn(await read(bob, link))).toEqual([false, true, false, true]);
    expect((await bob.get(`/shared_chats/${link.link_id}`)).text).not.toContain('4711');
    expect(withheldIn(await read(ann, link))).toEqual([false, false, false, false]);
  });

  it('is shown as it is now, also after an answer was replaced, and withheld after a source is deleted', async () => {
    const chat = randomUUID();
    const { external_id: other } = await new Documents(() => admin).ingestText('Torvig pier is of wood.', {});
    await ask(chat, [own]);
    const link = await share(chat);
    const body = {
      query: 'Of what?',
      chat_id: chat,
      filters: { external_id: other },
      min_score: 0,
      replace_from: 0,
    };
    ok(await ann.post('/query', { ...body, llm_config: { model: 'extractive' } }));
    const shared = await read(bob, link);
    expect([shared.title, withheldIn(shared)]).toEqual(['Of what?', [false]]);
    ok(await admin.delete(`/documents/${other}`));
    expect(withheldIn(await read(bob, link))).toEqual([true]);
  });

  it('is the same 404 for an unknown, ended, replaced, foreign and expired link, and for a deleted chat', async () => {
    const chat = randomUUID();
    await ask(chat, [open]);
    const first = await share(chat);
    const second = await share(chat);
    expect(await statusOf(bob, first)).toEqual([404, NOT_FOUND]);
    expect(await statusOf(bob, second)).toEqual([200, null]);
    const elsewhere = await SharedService.enter();
    const stranger = elsewhere.client;
    expect(await statusOf(stranger, second)).toEqual([404, NOT_FOUND]);
    await elsewhere.stop();
    ok(await ann.delete(`/chats/${chat}/link`));
    ok(await ann.delete(`/chats/${chat}/link`));
    expect(await statusOf(bob, second)).toEqual([404, NOT_FOUND]);
    const third = await share(chat);
    ok(await ann.delete(`/chats/${chat}`));
    expect(await statusOf(bob, third)).toEqual([404, NOT_FOUND]);
    expect(await statusOf(bob, { link_id: 'x' })).toEqual([404, NOT_FOUND]);
  });

  it('ends after its lifetime', async () => {
    const chat = randomUUID();
    await ask(chat, [open]);
    const long = await share(chat, { expires_in: 3_600 });
    expect(Date.parse(long.expires_at ?? '') - Date.now()).toBeGreaterThan(3_000_000);
    expect(await statusOf(bob, long)).toEqual([200, null]);
    const short = await share(chat, { expires_in: 1 });
    await until('the link ends', async () => (await statusOf(bob, short))[0] === 404);
    expect(await statusOf(ann, short)).toEqual([404, NOT_FOUND]);
    for (const expires_in of [0, -1, 'a week', 99_999_999]) {
      expect((await ann.post(`/chats/${chat}/link`, { expires_in })).status).toBe(422);
    }
  });

  it('is shared and ended by its owner only, whose list of chats has the link', async () => {
    const chat = randomUUID();
    await ask(chat, [open]);
    const link = await share(chat);
    for (const by of [bob, admin]) {
      for (const answer of [
        await by.get(`/chats/${chat}/link`),
        await by.post(`/chats/${chat}/link`),
        await by.delete(`/chats/${chat}/link`),
      ]) {
        expect([answer.status, answer.json()]).toEqual([404, { detail: 'Chat not found' }]);
      }
    }
    const linkIn = async (by: Client): Promise<unknown> => {
      const chats = (await by.get(`/chats?chat_id=${chat}`)).json() as { link: unknown }[];
      return chats.map((one) => one.link);
    };
    expect(await linkIn(ann)).toEqual([{ link_id: link.link_id, expires_at: null }]);
    expect(await linkIn(admin)).toEqual([null]);
    ok(await ann.delete(`/chats/${chat}/link`));
    expect(await linkIn(ann)).toEqual([null]);
    const { entries } = (await admin.get('/audit?limit=100')).json() as {
      entries: { action: string; subject: string; outcome: string }[];
    };
    const told = entries
      .filter(({ subject }) => subject === chat)
      .map(({ action, outcome }) => [action, outcome]);
    expect(told).toEqual([
      ['chat.unshare', 'done'],
      ['chat.unshare', 'refused'],
      ['chat.share', 'refused'],
      ['chat.unshare', 'refused'],
      ['chat.share', 'refused'],
      ['chat.share', 'done'],
    ]);
  });

  describe('whose source has another text since', () => {
    const replaceBy = async (id: string, content: string, strategy: string): Promise<void> => {
      ok(await ann.post(`/documents/${id}/update_text?update_strategy=${strategy}`, { content }));
    };
    const draftOf = async (text: string): Promise<string> =>
      (await new Documents(() => ann).ingestText(text, { filename: 'draft.txt' })).external_id;
    const publish = async (id: string): Promise<void> => {
      const body = { access_control: { readers: ['everyone'] } };
      ok(await ann.call('PATCH', `/documents/${id}`, { body }));
    };

    it.each(['extractive', `text:They say: ${OWN} [[1]]`])(
      'shows nobody of what the reader never could read (%s)',
      async (model) => {
        const draft = await draftOf(OWN);
        const chat = randomUUID();
        await ask(chat, [draft], model);
        const link = await share(chat);
        await replaceBy(draft, 'The canteen opens at noon.', 'replace');
        await publish(draft);
        const hidden = await bob.get(`/shared_chats/${link.link_id}`);
        expect(ok(hidden).text).not.toMatch(/4711/);
        expect((hidden.json() as SharedChat).messages[1]).toMatchObject({
          withheld: true,
          content: '',
          sources: [],
        });
        expect(ok(await ann.get(`/chats/${chat}/link`)).json()).toMatchObject({ withheld_count: 1 });
        expect((await read(admin, link)).messages[1]?.content).toContain('4711');
      },
    );

    it('is shown if the passage of the answer is still there', async () => {
      const draft = await draftOf(OPEN);
      const chat = randomUUID();
      await ask(chat, [draft]);
      const link = await share(chat);
      await publish(draft);
      await replaceBy(draft, `It is closed on Sundays. ${'The pier is long. '.repeat(200)}`, 'add');
      expect(withheldIn(await read(bob, link))).toEqual([false]);
      await replaceBy(draft, 'The canteen opens at noon.', 'replace');
      expect(withheldIn(await read(bob, link))).toEqual([true]);
      await replaceBy(draft, OPEN, 'replace');
      expect(withheldIn(await read(bob, link))).toEqual([false]);
    });

    it.each(['extractive', 'text:As the heading says. [[1]]'])(
      'shows nothing of headings that were replaced (%s)',
      async (model) => {
        const text = (secret: string): string =>
          `# ${secret}: the plan\n\n## Who is ${secret}\n\n${OPEN}\n\n## Else\n\n${'The pier is long. '.repeat(200)}`;
        const { external_id: draft } = await new Documents(() => ann).ingestText(text('dismissed'), {
          filename: 'draft.md',
        });
        const chat = randomUUID();
        await ask(chat, [draft], model);
        const link = await share(chat);
        await publish(draft);
        expect(withheldIn(await read(bob, link))).toEqual([false]);
        await replaceBy(draft, text('invited'), 'replace');
        const hidden = await bob.get(`/shared_chats/${link.link_id}`);
        expect(ok(hidden).text).not.toContain('dismissed');
        expect(withheldIn(hidden.json() as SharedChat)).toEqual([true]);
      },
    );

    it('tells no former name of a document', async () => {
      const draft = await draftOf(OPEN);
      const chat = randomUUID();
      await ask(chat, [draft]);
      const link = await share(chat);
      await publish(draft);
      const rename = async (filename: string): Promise<void> => {
        ok(await ann.call('PATCH', `/documents/${draft}`, { body: { filename } }));
        await new Documents(() => ann).settled(draft);
      };
      await rename('boats.txt');
      const hidden = await bob.get(`/shared_chats/${link.link_id}`);
      expect(ok(hidden).text).not.toContain('draft.txt');
      expect(withheldIn(hidden.json() as SharedChat)).toEqual([true]);
      await rename('draft.txt');
      expect(withheldIn(await read(bob, link))).toEqual([false]);
    });
  });

  it('is not for browser tokens, neither of its owner nor of a reader', async () => {
    const chat = randomUUID();
    await ask(chat, [open]);
    const link = await share(chat);
    const { id } = await keyOf({ scopes: ['read', 'query'] });
    const made = await admin.post(`/keys/${id}/token`, { end_user_id: 'ann', scopes: ['query', 'chats'] });
    const token = home.service.as((ok(made).json() as { token: string }).token);
    expect((ok(await token.get('/chats')).json() as { link: unknown }[]).map((one) => one.link)).toEqual(
      expect.not.arrayContaining([expect.anything()]),
    );
    for (const answer of [
      await token.get(`/shared_chats/${link.link_id}`),
      await token.get(`/chats/${chat}/link`),
      await token.post(`/chats/${chat}/link`),
      await token.delete(`/chats/${chat}/link`),
    ]) {
      expect(answer.status).toBe(403);
    }
  });

  it('is read with the permission to ask', async () => {
    const chat = randomUUID();
    await ask(chat, [open]);
    const reader = await clientOf('cleo', ['read']);
    expect((await reader.get(`/shared_chats/${(await share(chat)).link_id}`)).status).toBe(403);
    expect((await home.service.as(null).get('/shared_chats/x')).status).toBe(401);
  });

  it('works until the last key of its person is revoked, whichever key made it, and again with a new one', async () => {
    const person = { end_user_id: 'emil', scopes: ['query'] };
    const [first, second] = [await keyOf(person), await keyOf(person)];
    const chat = randomUUID();
    ok(await home.service.as(first.key).post('/query', { query: 'Pier?', chat_id: chat }));
    const { link_id: link } = ok(await home.service.as(first.key).post(`/chats/${chat}/link`)).json() as Link;
    const status = async (): Promise<number> => (await bob.get(`/shared_chats/${link}`)).status;
    ok(await admin.delete(`/keys/${first.id}`));
    expect(await status()).toBe(200);
    ok(await admin.delete(`/keys/${second.id}`));
    expect(await status()).toBe(404);
    await keyOf(person);
    expect(await status()).toBe(200);
    ok(await admin.delete('/people/emil'));
    await keyOf(person);
    expect(await status()).toBe(404);
  });

  it('is no longer shared when the access of its owner ends', async () => {
    const dora = await clientOf('dora', ['read', 'query']);
    const chat = randomUUID();
    ok(await dora.post('/query', { query: 'Torvig?', chat_id: chat, filters: { external_id: open } }));
    const link = ok(await dora.post(`/chats/${chat}/link`)).json() as Link;
    expect(await statusOf(bob, link)).toEqual([200, null]);
    ok(await admin.delete('/people/dora'));
    expect(await statusOf(bob, link)).toEqual([404, NOT_FOUND]);
    const again = await clientOf('dora', ['read', 'query']);
    expect(((await again.get(`/chats?chat_id=${chat}`)).json() as { link: unknown }[])[0]?.link).toBeNull();
  });
});
