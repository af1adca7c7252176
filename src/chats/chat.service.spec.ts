import { openTestDatabase, type TestDatabase } from '../../test/support/database.js';
import { newScope } from '../../test/support/query-service.js';
import type { Scope } from '../auth/scope.js';
import { Conflict, NotFound } from '../errors/index.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import { ChatRepository, titleOf } from './chat.repository.js';
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
    service = new ChatService(chats);
  }, 60_000);
  afterAll(() => database.close());
  beforeEach(async () => {
    scope = { ...(await newScope(database.dataSource)), permissions: new Set(['query', 'admin']) };
  });

  const say = (chatId: string, question: string, endUserId: string | null = null): Promise<number> =>
    chats.append(scope, { chatId, endUserId }, { question, answer: `Answer to ${question}` });

  it('are listed newest first with their last message', async () => {
    await say('a', 'First');
    await say('b', 'Second');
    await say('a', 'Third');
    const listed = await service.list(scope, ANYBODY, 10);
    expect(listed.map(({ chatId, title, turnCount }) => [chatId, title, turnCount])).toEqual([
      ['a', 'First', 4],
      ['b', 'Second', 2],
    ]);
    expect(listed[0]?.lastTurn).toMatchObject({ role: 'assistant', content: 'Answer to Third' });
    await expect(service.list(scope, ANYBODY, 1)).resolves.toHaveLength(1);
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
    await service.rename(scope, 'a', ANYBODY, 'Mine');
    await say('a', 'Second');
    await expect(service.list(scope, ANYBODY, 10)).resolves.toMatchObject([{ title: 'Mine', turnCount: 4 }]);
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
    await expect(service.rename(other, 'a', ANYBODY, 'x')).rejects.toThrow(NotFound);
    await expect(service.list(other, ANYBODY, 10)).resolves.toEqual([]);
    await expect(service.turns(scope, 'a', ANYBODY)).resolves.toHaveLength(2);
  });

  it('of another end user do not exist for a named end user', async () => {
    await say('a', 'Ann asks', 'ann');
    await expect(service.turns(scope, 'a', { endUserId: 'bob' })).rejects.toThrow(NotFound);
    await expect(service.list(scope, { endUserId: 'bob' }, 10)).resolves.toEqual([]);
    await expect(service.turns(scope, 'a', { endUserId: 'ann' })).resolves.toHaveLength(2);
  });

  it('of an end user are the only chats that a key of this end user can access', async () => {
    await say('a', 'Ann asks', 'ann');
    await say('a', 'An administrator asks');
    const ofAnn = { ...scope, endUserId: 'ann' };
    await chats.append(ofAnn, { chatId: 'a', endUserId: null }, { question: 'More', answer: 'Yes' });
    await expect(service.list(ofAnn, ANYBODY, 10)).resolves.toMatchObject([
      { endUserId: 'ann', turnCount: 4 },
    ]);
    const ofBob = { ...scope, endUserId: 'bob' };
    for (const named of [null, 'ann']) {
      await expect(service.list(ofBob, { endUserId: named }, 10)).resolves.toEqual([]);
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
    await expect(service.list(first, ANYBODY, 10)).resolves.toMatchObject([
      { title: 'One', owner: 'key:first' },
    ]);
    await expect(service.turns(second, 'a', ANYBODY)).resolves.toMatchObject([{ content: 'Two' }, {}]);
    await expect(chats.lastTurns(first, { chatId: 'a', endUserId: null }, 9)).resolves.toHaveLength(2);
    await expect(service.list(scope, ANYBODY, 10)).resolves.toHaveLength(2);
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
