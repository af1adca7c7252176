import { randomUUID } from 'node:crypto';
import type OpenAI from 'openai';
import { BadRequestError, NotFoundError } from 'openai';
import type { Response } from 'openai/resources/responses/responses';
import type { Client } from '../support/client.js';
import { CompletionService } from '../support/completion-service.js';
import type { SharedService } from '../support/shared-service.js';
import { Documents } from '../support/documents.js';
import { createStore, KEEPER, openAiClient, QUESTION, refusal, searchOf } from '../support/responses.js';

const WITHHELD = '[quote withheld]';

interface Message {
  readonly content: string;
  readonly citations: readonly { readonly quote: string | null; readonly withheld?: true }[];
  readonly sources: readonly { readonly excerpt: string; readonly withheld?: true }[];
}

/** The words of the messages that the model received last. */
const promptOf = ({ provider }: CompletionService<SharedService>): string =>
  JSON.stringify(provider.last.body.messages);

/** Scopes of a key that may name any model. */
const ANY_MODEL = ['read', 'query', 'write'];

describe('stored talk', () => {
  let home: CompletionService<SharedService>;
  let admin: Client;

  const keyFor = async (body: object): Promise<string> => {
    const issued = await admin.post('/keys', { name: 'k', scopes: ['read', 'query'], ...body });
    return (issued.json() as { key: string }).key;
  };
  beforeAll(async () => {
    home = await CompletionService.shared();
    admin = home.service.client;
  });
  afterAll(() => home.stop());
  beforeEach(() => {
    home.provider.forget();
  });

  describe('of a key without a person', () => {
    let shop: OpenAI;
    let kiosk: OpenAI;
    let response: Response;
    let conversation: string;
    beforeAll(async () => {
      [shop, kiosk] = [
        openAiClient(home.service, await keyFor({ name: 'shop' })),
        openAiClient(home.service, await keyFor({ name: 'kiosk' })),
      ];
      const items = [{ role: 'user', content: 'Good day.' }] as const;
      ({ id: conversation } = await shop.conversations.create({ items: [...items] }));
      response = await shop.responses.create({ model: 'lectern', input: 'Hello', conversation });
    });

    it('does not exist for another key without a person', async () => {
      const [item] = (await shop.conversations.items.list(conversation)).data;
      const id = item?.id ?? '';
      for (const request of [
        kiosk.responses.retrieve(response.id),
        kiosk.responses.inputItems.list(response.id),
        kiosk.responses.delete(response.id),
        kiosk.conversations.retrieve(conversation),
        kiosk.conversations.update(conversation, { metadata: {} }),
        kiosk.conversations.delete(conversation),
        kiosk.conversations.items.list(conversation),
        kiosk.conversations.items.create(conversation, { items: [{ role: 'user', content: 'x' }] }),
        kiosk.conversations.items.retrieve(id, { conversation_id: conversation }),
        kiosk.conversations.items.delete(id, { conversation_id: conversation }),
        kiosk.responses.create({ model: 'lectern', input: 'x', conversation }),
      ]) {
        await expect(request).rejects.toBeInstanceOf(NotFoundError);
      }
      for (const body of [
        { input: 'x', previous_response_id: response.id },
        { input: [{ type: 'item_reference', id: response.output[0]?.id ?? '' }] },
        { input: [{ type: 'item_reference', id }] },
      ]) {
        const refused = await refusal(kiosk.responses.create({ model: 'lectern', ...body } as never));
        expect(refused).toBeInstanceOf(BadRequestError);
      }
    });

    it('stays with its key, and with administrators', async () => {
      const root = openAiClient(home.service, home.service.adminKey);
      for (const client of [shop, root]) {
        expect((await client.responses.retrieve(response.id)).output).toEqual(response.output);
        expect((await client.conversations.items.list(conversation)).data).toHaveLength(3);
      }
      const next = { model: 'lectern', input: 'And now?', previous_response_id: response.id };
      expect((await shop.responses.create(next)).previous_response_id).toBe(response.id);
      expect(promptOf(home)).toContain(response.output_text);
    });
  });

  describe('quotes documents only while they may be read:', () => {
    const SENTENCE = 'The last boat leaves Torvig pier at noon in winter.';
    let boss: Client;
    let document: string;

    const give = async (id: string, person: string | null): Promise<void> => {
      const given = await admin.call('PATCH', `/documents/${id}`, { body: { end_user_id: person } });
      expect(given.status).toBe(200);
    };
    beforeAll(async () => {
      boss = home.service.as(await keyFor({ scopes: ['admin'], end_user_id: 'boss' }));
    });
    beforeEach(async () => {
      const text = `# Harbour\n\n${SENTENCE}`;
      const made = await new Documents(() => admin).ingestText(text, { filename: `${randomUUID()}.md` });
      document = made.external_id;
    });

    const ask = async (chat: string, model: string, more: object = {}): Promise<void> => {
      const query = 'When does the last boat leave Torvig pier in winter?';
      const body = { query, chat_id: chat, llm_config: { model }, filters: {}, ...more };
      expect((await boss.post('/query', body)).status).toBe(200);
    };
    const answerOf = async (chat: string): Promise<Message> =>
      ((await boss.get(`/chat/${chat}`)).json() as Message[]).at(1)!;

    it.each([
      ['of a model', `text:They say: “${SENTENCE}” [[1]]`, { inline_citations: true }],
      ['of quotations', 'extractive', { inline_citations: true }],
      ['of quotations without citations', 'extractive', {}],
    ])('an answer %s in a chat, its list, its feedback and the next prompt', async (_, model, more) => {
      const chat = randomUUID();
      const only = { filters: { external_id: document } };
      await ask(chat, model, { ...more, ...only });
      await boss.put(`/chat/${chat}/messages/1/feedback`, { rating: 'good' });
      const before = await answerOf(chat);
      expect(before.content).toContain(SENTENCE);

      await give(document, 'somebody');
      const shown = await answerOf(chat);
      expect(shown.content).toContain(WITHHELD);
      expect(shown.citations).toEqual(
        before.citations.map((one) => ({
          ...one,
          start: expect.any(Number) as number,
          end: expect.any(Number) as number,
          quote: null,
          withheld: true,
        })),
      );
      expect(shown.sources).toEqual(before.sources.map((one) => ({ ...one, excerpt: '', withheld: true })));
      // The name of this model is its answer.
      const textOf = async (path: string): Promise<string> =>
        (await boss.get(path)).text.replaceAll(JSON.stringify(model), '');
      for (const path of [`/chat/${chat}`, '/chats', '/feedback', '/feedback/questions']) {
        expect(await textOf(path)).not.toContain(SENTENCE);
      }
      await ask(chat, 'text:Really.');
      expect(promptOf(home)).toContain(WITHHELD);
      expect(promptOf(home)).not.toContain(SENTENCE);

      await give(document, null);
      expect(await answerOf(chat)).toEqual(before);
      await admin.delete(`/documents/${document}`);
      expect(await textOf(`/chat/${chat}`)).not.toContain(SENTENCE);
    });

    it.each(['text:They say: The keeper is relieved every Tuesday at noon. [[1]]', 'extractive'])(
      'a response and a conversation of the model %s',
      async (model) => {
        const root = openAiClient(home.service, home.service.adminKey);
        const client = openAiClient(home.service, await keyFor({ end_user_id: 'cleo', scopes: ANY_MODEL }));
        const store = await createStore(root);
        const { id: conversation } = await client.conversations.create();
        const respond = async (behaviour: string, body: object): Promise<Response> =>
          client.responses.create({ model: 'lectern', ...body, llm_config: { model: behaviour } } as never);
        const made = await respond(model, {
          input: QUESTION,
          conversation,
          tools: [searchOf(store)],
          include: ['file_search_call.results'],
        });
        expect(made.output_text).toContain(KEEPER);
        const stored = async (): Promise<string> =>
          JSON.stringify([
            await client.responses.retrieve(made.id),
            (await client.conversations.items.list(conversation)).data,
          ]);
        const before = await stored();
        expect(before).toContain(KEEPER);

        const listed = await admin.post('/documents?folder_name=/vector_stores&folder_depth=-1', {
          document_filters: { filename: 'keeper.txt' },
        });
        const { documents } = listed.json() as { documents: { external_id: string }[] };
        const ids = documents.map(({ external_id: id }) => id);
        for (const id of ids) await give(id, 'somebody');
        const after = await stored();
        expect(after).not.toContain(KEEPER);
        expect(after).toContain('"withheld":true');
        const [search, message] = (await client.responses.retrieve(made.id)).output;
        const results = (search as { results?: { filename: string; text: string }[] }).results ?? [];
        expect(results.filter(({ filename }) => filename === 'keeper.txt').map(({ text }) => text)).toEqual([
          '',
        ]);
        expect(message).toMatchObject({
          content: [
            {
              text: expect.stringContaining(WITHHELD) as string,
              annotations: [{ filename: 'keeper.txt', quote: null, withheld: true }],
            },
          ],
        });
        for (const body of [{ previous_response_id: made.id }, { conversation }]) {
          await respond('text:Really.', { input: 'Really?', ...body });
          expect(promptOf(home)).toContain(WITHHELD);
          expect(promptOf(home)).not.toContain(KEEPER);
        }
        for (const id of ids) await admin.delete(`/documents/${id}`);
        expect(await stored()).not.toContain(KEEPER);
      },
    );
  });
});
