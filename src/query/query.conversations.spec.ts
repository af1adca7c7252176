import { USUAL_ANSWER } from '../../test/support/fake-provider/answers.js';
import { AskedManual, eventsOf, newScope, requestOf } from '../../test/support/query-service.js';
import { runInContext } from '../request/request-context.js';

describe('conversations', () => {
  const asked = new AskedManual();
  const { ask, retrieval, stored, wired } = asked;

  describe('in a chat', () => {
    it('sends the conversation to the model, and the question once', async () => {
      await ask('plain', { chat_id: 'c', query: 'What is the Nimbus router?' });
      await ask('plain', { chat_id: 'c', query: 'How heavy is the Nimbus router?' });
      const roles = asked.provider.last.body.messages.map(({ role }) => role);
      expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
      expect(asked.provider.last.texts('user')[0]).toBe('What is the Nimbus router?');
      expect(asked.provider.last.texts('assistant')).toEqual([USUAL_ANSWER]);
      expect(asked.provider.last.raw.split('How heavy is the Nimbus router?')).toHaveLength(2);
    });

    it('separates chats of end users and of tenants', async () => {
      await ask('plain', { chat_id: 'c', end_user_id: 'ann' });
      const other = await newScope(asked.database.dataSource);
      await wired('plain').service.complete(other, requestOf({ query: 'Whose?', chat_id: 'c' }));
      await ask('plain', { chat_id: 'c', end_user_id: 'bob', query: 'Bob asks' });
      await ask('plain', { chat_id: 'c', end_user_id: '', query: 'The empty one asks' });
      expect(asked.provider.last.body.messages).toHaveLength(2);
      await expect(stored('c', 'ann')).resolves.toHaveLength(2);
      await expect(stored('c', 'bob')).resolves.toEqual(['user: Bob asks', `assistant: ${USUAL_ANSWER}`]);
      await expect(stored('c')).resolves.toEqual([]);
    });

    it('drops the oldest turns to fit', async () => {
      const { chats } = wired('plain');
      for (let i = 0; i < 30; i++) {
        await chats.append(
          asked.scope,
          { chatId: 'c', endUserId: null },
          { question: `Q${i} ${'x '.repeat(50)}`, answer: 'A' },
        );
      }
      await ask('plain', { chat_id: 'c', llm_config: { context_window: 2_048 } });
      const questions = asked.provider.last.texts('user').slice(0, -1);
      expect(questions.length).toBeGreaterThan(1);
      expect(questions.length).toBeLessThan(12);
      expect(questions.at(-1)).toMatch(/^Q29 /);
      expect(asked.provider.last.body.messages[1]?.role).toBe('user');
    });

    it('stores nothing if the answer fails', async () => {
      await expect(ask('status:400', { chat_id: 'c' })).rejects.toMatchObject({ status: 502 });
      await expect(stored('c')).resolves.toEqual([]);
    });

    it('stores the partial text if the caller disconnects during a stream', async () => {
      const leaving = new AbortController();
      const stream = wired('tokens:50|token-delay:2').service.stream(
        asked.scope,
        requestOf({ query: 'Q', chat_id: 'c' }),
        () => undefined,
      );
      const reading = runInContext(leaving.signal, async () => {
        for await (const event of stream) if (event.type === 'assistant') leaving.abort(new Error('left'));
      });
      await expect(reading).rejects.toThrow('left');
      await expect(stored('c')).resolves.toEqual(['user: Q', expect.stringMatching(/^assistant: word/)]);
    });

    it('stores the partial text, as stopped, if the stream of the provider breaks off', async () => {
      const { service } = wired('tokens:50|breaks');
      const request = requestOf({ query: 'Q', chat_id: 'c' });
      const reading = runInContext(undefined, () =>
        eventsOf(service.stream(asked.scope, request, () => undefined)),
      );
      await expect(reading).rejects.toMatchObject({ status: 502 });
      const turns: unknown = await asked.database.dataSource.query(
        'select t.role, t.content, t.stopped from turns t where t.app_id = $1 order by t.position',
        [asked.scope.appId],
      );
      expect(turns).toMatchObject([{ content: 'Q' }, { role: 'assistant', stopped: true }]);
    });

    it('stores all turns of concurrent requests', async () => {
      const { service } = wired('plain');
      const questions = Array.from({ length: 20 }, (_, index) => `Question ${index}`);
      await Promise.all(
        questions.map((query) => service.complete(asked.scope, requestOf({ query, chat_id: 'c' }))),
      );
      const turns = await stored('c');
      expect(turns).toHaveLength(40);
      expect(turns.filter((_, index) => index % 2 === 0).sort()).toEqual(
        questions.map((one) => `user: ${one}`).sort(),
      );
      expect(turns.filter((_, index) => index % 2 === 1)).toEqual(
        Array(20).fill(`assistant: ${USUAL_ANSWER}`),
      );
    });

    it('stores an answer without characters that the database rejects', async () => {
      await ask('text:a\0b', { chat_id: 'c' });
      await expect(stored('c')).resolves.toContain('assistant: ab');
    });
  });

  describe('a question that continues a conversation', () => {
    const history = {
      question: 'How long does the warranty of the Nimbus router last?',
      answer: 'Two years.',
    };
    const searched = (): string | null | undefined => retrieval.requests.at(-1)?.query;

    async function followUp(behaviour: string, query: string): Promise<void> {
      const { chats } = wired('x');
      await chats.append(asked.scope, { chatId: 'c', endUserId: null }, history);
      await ask(behaviour, { chat_id: 'c', query });
    }

    it('is rewritten by the model for the search, but asked unchanged', async () => {
      await followUp('text:How much does the Nimbus router cost?', 'And how much does it cost?');
      expect(searched()).toBe('How much does the Nimbus router cost?');
      expect(asked.provider.last.question).toContain('Question: And how much does it cost?');
    });

    it.each([
      'text:I cannot help with that.',
      'text:It costs 20 euros.',
      `text:${'cost '.repeat(200)}`,
      'text:',
    ])('is joined with the previous question if the model answers %s', async (behaviour) => {
      await followUp(behaviour, 'And how much does it cost?');
      expect(searched()).toBe('And how much does it cost? long warranty Nimbus router last');
    });

    it('is not rewritten if it names its subject', async () => {
      await followUp('plain', 'How heavy is the Zephyr drone?');
      expect(searched()).toBe('How heavy is the Zephyr drone?');
      expect(asked.provider.completions).toHaveLength(1);
    });

    it('counts the tokens of the rewriting', async () => {
      const { chats } = wired('x');
      await chats.append(asked.scope, { chatId: 'c', endUserId: null }, history);
      const { usage } = await ask('plain', { chat_id: 'c' });
      expect(usage.total_tokens).toBe(36);
    });

    it('is joined with the previous question without a model if it refers to it', async () => {
      const { service, chats } = wired('x');
      await chats.append(asked.scope, { chatId: 'c', endUserId: null }, history);
      const embedded = { llm_config: { model: 'extractive' }, chat_id: 'c' };
      await service.complete(asked.scope, requestOf({ query: 'Does it cover water?', ...embedded }));
      expect(searched()).toBe('Does it cover water? long warranty Nimbus router last');
      await service.complete(
        asked.scope,
        requestOf({ query: 'Which colours does the Zephyr drone have?', ...embedded }),
      );
      expect(searched()).toBe('Which colours does the Zephyr drone have?');
    });
  });
});
