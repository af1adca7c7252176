import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { newScope } from '../../test/support/query-service.js';
import type { TalkChoice } from '../access/talk.js';
import type { Scope } from '../auth/scope.js';
import { Conflict, NotFound } from '../errors/index.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { ChatListRepository, type ChatSummary } from './chat-list.repository.js';
import { ChatRepository, type StoredPlace, titleOf } from './chat.repository.js';
import { ChatService } from './chat.service.js';
import { TalkRepository } from './talk.repository.js';
import { Quotas } from '../quotas/quotas.service.js';
import { settingsWith } from '../../test/support/settings.js';

const ANYBODY = { endUserId: null };

describe('chats', () => {
  let database: TestDatabase;
  let chats: ChatRepository;
  let service: ChatService;
  let scope: Scope;
  beforeAll(async () => {
    database = await openTestDatabase();
    const { dataSource } = database;
    const quotas = new Quotas(dataSource, settingsWith());
    const talk = new TalkRepository(dataSource, new DocumentRepository(dataSource), quotas);
    chats = new ChatRepository(dataSource, talk, quotas);
    service = new ChatService(chats, new ChatListRepository(dataSource, talk));
  }, 60_000);
  afterAll(() => database.close());
  beforeEach(async () => {
    scope = { ...(await newScope(database.dataSource)), permissions: new Set(['query', 'admin']) };
  });

  const say = (chatId: string, question: string, endUserId: string | null = null): Promise<StoredPlace> =>
    chats.append(scope, { chatId, endUserId }, { question, answer: `Answer to ${question}` });
  const list = (by: Scope, choice: TalkChoice, limit: number, words: string[] = []): Promise<ChatSummary[]> =>
    service.list(by, { ...choice, limit, words, chatId: null, folder: null });

  it('are listed newest first with their last message', async () => {
    await say('a', 'First');
    await say('b', 'Second');
    await say('a', 'Third');
    const listed = await list(scope, ANYBODY, 10);
    expect(listed.map(({ chatId, title, turnCount }) => [chatId, title, turnCount])).toEqual([
      ['a', 'First', 4],
      ['b', 'Second', 2],
    ]);
    expect(listed[0]?.lastTurn).toMatchObject({ role: 'assistant', content: 'Answer to Third' });
    await expect(list(scope, ANYBODY, 1)).resolves.toHaveLength(1);
  });

  it('keep their messages in order', async () => {
    await say('a', 'First');
    await say('a', 'Second');
    const turns = await service.turns(scope, 'a', ANYBODY);
    expect(turns.map(({ content }) => content)).toEqual([
      'First',
      'Answer to First',
      'Second',
      'Answer to Second',
    ]);
    expect(turns[0]?.createdAt).toBeInstanceOf(Date);
  });

  it('keep a title set by the user', async () => {
    await say('a', 'First');
    await service.change(scope, 'a', ANYBODY, { title: 'Mine' });
    await say('a', 'Second');
    await expect(list(scope, ANYBODY, 10)).resolves.toMatchObject([{ title: 'Mine', turnCount: 4 }]);
  });

  it('are listed first if they are pinned, and with the folder that their reader chose', async () => {
    await say('a', 'First');
    await say('b', 'Second');
    await service.change(scope, 'a', ANYBODY, { pinned: true, folder: 'Winter' });
    const [first, second] = await list(scope, ANYBODY, 10);
    expect(first).toMatchObject({ chatId: 'a', pinned: true, folder: 'Winter', title: 'First' });
    expect(second).toMatchObject({ chatId: 'b', pinned: false, folder: null });
    const inFolder = { ...ANYBODY, limit: 10, words: [], chatId: null, folder: 'Winter' };
    await expect(service.list(scope, inFolder)).resolves.toMatchObject([{ chatId: 'a' }]);
  });

  it('are found by words of the title or of one message, with the place', async () => {
    await say('a', 'Where is the LAMP lit?');
    await say('a', `Something else ${'and more '.repeat(40)}`);
    await say('b', 'When does the boat leave?');
    await service.change(scope, 'b', ANYBODY, { title: 'Lamp and boat' });
    const found = async (...words: string[]): Promise<(string | null)[][]> =>
      (await list(scope, ANYBODY, 10, words)).map(({ chatId, match }) => [chatId, match]);
    await expect(found('lamp')).resolves.toEqual([
      ['b', null],
      ['a', 'Answer to Where is the LAMP lit?'],
    ]);
    await expect(found('lit', 'lamp')).resolves.toEqual([['a', 'Answer to Where is the LAMP lit?']]);
    await expect(found('lit', 'boat')).resolves.toEqual([]);
    await expect(found('%')).resolves.toEqual([]);
  });

  it('count their exchanges, so that a question that knows another state is refused', async () => {
    const chat = { chatId: 'a', endUserId: null };
    await chats.requireState(scope, chat, { replaceFrom: null, revision: 0 });
    await expect(say('a', 'First')).resolves.toEqual({ position: 1, revision: 1 });
    const retry = { question: 'First', answer: 'Better', replaceFrom: 0 };
    await expect(chats.append(scope, chat, retry)).resolves.toEqual({ position: 1, revision: 2 });
    await chats.requireState(scope, chat, { replaceFrom: 0, revision: 2 });
    await expect(chats.requireState(scope, chat, { replaceFrom: 0, revision: 1 })).rejects.toThrow(
      new Conflict('The chat has changed: its revision is 2, not 1'),
    );
  });

  it('are deleted with their messages', async () => {
    await say('a', 'First');
    await service.delete(scope, 'a', ANYBODY);
    await expect(service.turns(scope, 'a', ANYBODY)).rejects.toThrow(NotFound);
    await say('a', 'Again');
    await expect(service.turns(scope, 'a', ANYBODY)).resolves.toHaveLength(2);
  });

  it.each(['turns', 'delete'] as const)('of another tenant do not exist for %s', async (action) => {
    const other = await newScope(database.dataSource);
    await say('a', 'First');
    await expect(service[action](other, 'a', ANYBODY)).rejects.toThrow(new NotFound('Chat not found'));
    await expect(service.change(other, 'a', ANYBODY, { title: 'x' })).rejects.toThrow(NotFound);
    await expect(list(other, ANYBODY, 10)).resolves.toEqual([]);
    await expect(service.turns(scope, 'a', ANYBODY)).resolves.toHaveLength(2);
  });

  it('of another end user do not exist for a named end user', async () => {
    await say('a', 'Ann asks', 'ann');
    await expect(service.turns(scope, 'a', { endUserId: 'bob' })).rejects.toThrow(NotFound);
    await expect(list(scope, { endUserId: 'bob' }, 10)).resolves.toEqual([]);
    await expect(service.turns(scope, 'a', { endUserId: 'ann' })).resolves.toHaveLength(2);
  });

  it('of an end user are the only chats that a key of this end user can access', async () => {
    await say('a', 'Ann asks', 'ann');
    await say('a', 'An administrator asks');
    const ofAnn = { ...scope, endUserId: 'ann' };
    await chats.append(ofAnn, { chatId: 'a', endUserId: null }, { question: 'More', answer: 'Yes' });
    await expect(list(ofAnn, ANYBODY, 10)).resolves.toMatchObject([{ endUserId: 'ann', turnCount: 4 }]);
    const ofBob = { ...scope, endUserId: 'bob' };
    for (const named of [null, 'ann']) {
      await expect(list(ofBob, { endUserId: named }, 10)).resolves.toEqual([]);
      await expect(service.turns(ofBob, 'a', { endUserId: named })).rejects.toThrow(NotFound);
    }
  });

  it('without an end user belong to the key that started them', async () => {
    const [first, second] = (['first', 'second'] as const).map((keyId) => ({
      ...scope,
      keyId,
      permissions: new Set(['query'] as const),
    }));
    if (first === undefined || second === undefined) throw new Error('two keys');
    await chats.append(first, { chatId: 'a', endUserId: null }, { question: 'One', answer: '1' });
    await chats.append(second, { chatId: 'a', endUserId: null }, { question: 'Two', answer: '2' });
    await expect(list(first, ANYBODY, 10)).resolves.toMatchObject([{ title: 'One', owner: 'key:first' }]);
    await expect(service.turns(second, 'a', ANYBODY)).resolves.toMatchObject([{ content: 'Two' }, {}]);
    await expect(chats.lastTurns(first, { chatId: 'a', endUserId: null }, 9)).resolves.toHaveLength(2);
    await expect(list(scope, ANYBODY, 10)).resolves.toHaveLength(2);
    await expect(service.turns(scope, 'a', ANYBODY)).rejects.toThrow(Conflict);
  });

  it('are found without an end user in the request if the id is unambiguous', async () => {
    await say('a', 'Ann asks', 'ann');
    await expect(service.turns(scope, 'a', ANYBODY)).resolves.toHaveLength(2);
    await say('a', 'Bob asks', 'bob');
    await expect(service.turns(scope, 'a', ANYBODY)).rejects.toThrow(Conflict);
    await say('a', 'Nobody asks');
    await expect(service.turns(scope, 'a', ANYBODY)).resolves.toMatchObject([{ content: 'Nobody asks' }, {}]);
  });
});

describe('the title of a new chat', () => {
  it.each([
    ['How long does\n the   warranty last?', 'How long does the warranty last?'],
    ['x'.repeat(81), `${'x'.repeat(79)}…`],
    ['👩‍🚀'.repeat(81), `${'👩‍🚀'.repeat(79)}…`],
  ])('of %p', (question, expected) => {
    expect(titleOf(question)).toBe(expected);
  });
});
