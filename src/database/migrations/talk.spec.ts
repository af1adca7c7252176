import { openTestDatabase, revertMigration, type TestDatabase } from '../../../test/support/database.js';
import { type Permission, type Scope, scopeOf } from '../../auth/scope.js';
import { ChatListRepository, type ChatSummary } from '../../chats/chat-list.repository.js';
import { ChatRepository } from '../../chats/chat.repository.js';
import { TalkRepository } from '../../chats/talk.repository.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import { ConversationRepository } from '../../openai/conversations/conversation.repository.js';
import type { Item } from '../../openai/responses/items.js';
import { ResponseRepository } from '../../openai/responses/response.repository.js';
import { migrate } from '../migrate.js';
import { Talk1700000042000 } from './1700000042000-talk.js';
import { Quotas } from '../../quotas/quotas.service.js';
import { settingsWith } from '../../../test/support/settings.js';

const APP = 'acme';
const DOCUMENT = '0199f1c2-a4d8-7e0b-9c3d-000000000001';
const FILE = `file-${DOCUMENT.replaceAll('-', '')}`;
const [CONVERSATION, OF_ANN] = [
  '0199f1c2-a4d8-7e0b-9c3d-00000000000a',
  '0199f1c2-a4d8-7e0b-9c3d-00000000000b',
];
const [FIRST, SECOND] = ['0199f1c2-a4d8-7e0b-9c3d-00000000000c', '0199f1c2-a4d8-7e0b-9c3d-00000000000d'];
const CHAT = '0199f1c2-a4d8-4e0b-9c3d-00000000000e';

const scope = (keyId: string, endUserId: string | null = null, permission: Permission = 'query'): Scope =>
  scopeOf(APP, [permission], keyId, { endUserId });
const [ADMIN, SHOP, KIOSK] = [scope('root', null, 'admin'), scope('shop'), scope('kiosk')];
const ANN = scope('ann-key', 'ann');

const said = (id: string, text: string): Item => ({
  id,
  type: 'message',
  role: 'user',
  status: 'completed',
  content: [{ type: 'input_text', text }],
});

/** One item of every form that was stored. */
const ITEMS: readonly Item[] = [
  said('msg_a', 'When is the keeper relieved? 𝄞'),
  { ...said('msg_b', ''), role: 'developer', content: [] } as Item,
  {
    id: 'msg_c',
    type: 'message',
    role: 'user',
    status: 'completed',
    content: [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' },
    ],
  },
  {
    id: 'fs_d',
    type: 'file_search_call',
    status: 'completed',
    queries: ['keeper'],
    results: [
      {
        file_id: FILE,
        filename: 'keeper.txt',
        score: 0.123456789012,
        text: 'Every Tuesday.',
        attributes: { n: 3 },
      },
    ],
  },
  { id: 'fs_e', type: 'file_search_call', status: 'completed', queries: ['keeper'], results: null },
  {
    id: 'msg_f',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [
      {
        type: 'output_text',
        text: 'On Tuesday.',
        annotations: [
          {
            type: 'file_citation',
            file_id: FILE,
            filename: 'keeper.txt',
            index: 10,
            quote: 'Every Tuesday.',
            page_number: null,
          },
        ],
        logprobs: [],
      },
    ],
  },
  {
    id: 'fc_g',
    type: 'function_call',
    call_id: 'call_1',
    name: 'clock',
    arguments: '{}',
    status: 'completed',
  },
  { id: 'fco_h', type: 'function_call_output', call_id: 'call_1', output: 'noon', status: 'completed' },
];

const RESPONSE = { id: 'resp_1', object: 'response', output: ITEMS.slice(5, 7), temperature: 1, notes: [] };

const EVIDENCE = {
  citations: [
    {
      start: 12,
      end: 24,
      text: '[keeper.txt]',
      document_id: DOCUMENT,
      chunk_number: 0,
      filename: 'keeper.txt',
      page_number: null,
      quote: 'Every Tuesday.',
    },
  ],
  sources: [],
  searched: 'keeper relieved',
  model: 'lectern',
};

describe('the migration of talk', () => {
  let database: TestDatabase;
  let chats: ChatRepository;
  let lists: ChatListRepository;
  let conversations: ConversationRepository;
  let responses: ResponseRepository;

  const insert = (statement: string, ...values: unknown[]): Promise<unknown> =>
    database.dataSource.query(statement, [APP, ...values]);
  const insertChat = async (key: string, chatId: string, owner: object, more: object = {}): Promise<void> => {
    const { end_user_id = null, key_id = null } = owner as Record<string, string>;
    await insert(
      `insert into chats (app_id, chat_key, chat_id, end_user_id, key_id, title, turn_count, search, created_at, updated_at)
       values ($1, $2, $3, $4, $5, 'Keeper', 2, $6, '2026-01-02T03:04:05.678Z', '2026-02-02T03:04:05.678Z')`,
      ...[key, chatId, end_user_id, key_id, JSON.stringify(more)],
    );
    await insert(
      `insert into chat_turns (app_id, chat_key, position, role, content, evidence, stopped, created_at) values
         ($1, $2, 0, 'user', 'When?', null, false, '2026-01-02T03:04:05.678Z'),
         ($1, $2, 1, 'assistant', 'On Tuesday. [keeper.txt]', $3, true, '2026-01-02T03:04:06.789Z')`,
      ...[key, JSON.stringify(EVIDENCE)],
    );
  };
  const insertConversation = async (id: string, endUserId: string | null): Promise<void> => {
    await insert(
      `insert into conversations (app_id, conversation_id, end_user_id, metadata, next_position, created_at)
       values ($1, $2, $3, '{"topic":"lamps"}', 20, '2026-01-02T03:04:05Z')`,
      ...[id, endUserId],
    );
    for (const [at, item] of ITEMS.entries()) {
      await insert(
        `insert into conversation_items values ($1, $2, $3, $4, $5, 9)`,
        ...[id, at * 2, item.id, JSON.stringify(item)],
      );
    }
  };
  const insertResponse = async (
    id: string,
    endUserId: string | null,
    previousId: string | null,
  ): Promise<void> => {
    // The input refers to its first item again, and the model wrote a character that the database cannot store.
    const input = JSON.stringify([...ITEMS.slice(0, 5), ITEMS[0]]);
    const response = JSON.stringify(RESPONSE).replace('On Tuesday.', 'On \\u0000Tuesday.');
    await insert(
      `insert into responses values ($1, $2, $3, $4, $5, $6, 9, '2026-01-02T03:04:05Z')`,
      ...[id, endUserId, previousId, input, response],
    );
  };

  beforeAll(async () => {
    database = await openTestDatabase();
    const { dataSource } = database;
    const quotas = new Quotas(dataSource, settingsWith());
    const talk = new TalkRepository(dataSource, new DocumentRepository(dataSource), quotas);
    chats = new ChatRepository(dataSource, talk, quotas);
    lists = new ChatListRepository(dataSource, talk);
    conversations = new ConversationRepository(talk);
    responses = new ResponseRepository(talk);
    await revertMigration(dataSource, Talk1700000042000);
    await dataSource.query('insert into apps (app_id, name) values ($1, $1)', [APP]);
    await insertChat(CHAT, 'desk', { end_user_id: 'ann' }, { k: 7 });
    await insertChat('0199f1c2-a4d8-4e0b-9c3d-00000000000f', 'desk', { key_id: 'shop' });
    await insertChat('0199f1c2-a4d8-4e0b-9c3d-000000000010', 'desk', {});
    await insert(
      `insert into answer_feedback (app_id, chat_key, position, answered_at, rating, question, answer, search)
       values ($1, $2, 1, '2026-01-02T03:04:06.789Z', 'good', 'When?', 'On Tuesday.', '{}')`,
      CHAT,
    );
    await insertConversation(CONVERSATION, null);
    await insertConversation(OF_ANN, 'ann');
    await insertResponse(FIRST, null, null);
    await insertResponse(SECOND, null, FIRST);
    await migrate(dataSource);
    await insert(
      `insert into documents (app_id, external_id, status, content_type) values ($1, $2, 'completed', 'text/plain')`,
      DOCUMENT,
    );
  }, 120_000);
  afterAll(() => database.close());

  const listed = (by: Scope): Promise<ChatSummary[]> =>
    lists.list(by, { endUserId: null, chatId: null, folder: null, words: [], limit: 10 });

  /** Everything that readers get. */
  const read = async (): Promise<unknown> => ({
    // A migration back forgets the revisions.
    chats: (await listed(ADMIN)).map(({ revision: _, ...chat }) => chat),
    turns: await chats.turns(ADMIN, [CHAT], null),
    conversation: await conversations.find(SHOP, { id: CONVERSATION, endUserId: null }),
    items: await conversations.items(SHOP, { id: CONVERSATION, endUserId: null }),
    response: await responses.find(SHOP, { id: SECOND, endUserId: null }),
    input: await responses.input(SHOP, { id: SECOND, endUserId: null }),
    chain: await responses.ancestors(SHOP, { id: SECOND, endUserId: null }, 9),
  });

  it('keeps chats with their owners, turns, options and feedback', async () => {
    const times = {
      createdAt: new Date('2026-01-02T03:04:05.678Z'),
      updatedAt: new Date('2026-02-02T03:04:05.678Z'),
    };
    for (const [by, owner, search] of [
      [ANN, { endUserId: 'ann', owner: 'user:ann' }, { k: 7 }],
      [SHOP, { endUserId: null, owner: 'key:shop' }, {}],
    ] as const) {
      expect(await listed(by)).toMatchObject([
        { chatId: 'desk', title: 'Keeper', turnCount: 2, search, ...owner, ...times },
      ]);
    }
    expect(await listed(KIOSK)).toEqual([]);
    expect(await listed(ADMIN)).toHaveLength(3);
    expect(await chats.turns(ANN, [CHAT], null)).toEqual([
      {
        conversationId: CHAT,
        role: 'user',
        content: 'When?',
        createdAt: times.createdAt,
        evidence: null,
        stopped: false,
        rating: null,
        earlierVersions: 0,
      },
      {
        conversationId: CHAT,
        role: 'assistant',
        content: 'On Tuesday. [keeper.txt]',
        createdAt: new Date('2026-01-02T03:04:06.789Z'),
        evidence: EVIDENCE,
        stopped: true,
        rating: { rating: 'good', comment: null },
        earlierVersions: 0,
      },
    ]);
    const next = { question: 'And then?', answer: 'Nothing.' };
    expect(await chats.append(ANN, { chatId: 'desk', endUserId: null }, next)).toMatchObject({ position: 3 });
  });

  it('keeps every item of a conversation as it was, for the same people', async () => {
    for (const by of [SHOP, KIOSK, ADMIN]) {
      expect(await conversations.find(by, { id: CONVERSATION, endUserId: null })).toMatchObject({
        metadata: { topic: 'lamps' },
        createdAt: new Date('2026-01-02T03:04:05Z'),
      });
      expect(await conversations.find(by, { id: OF_ANN, endUserId: null })).toBeNull();
      expect(await conversations.find(by, { id: OF_ANN, endUserId: 'ann' })).not.toBeNull();
    }
    expect(await conversations.find(ANN, { id: CONVERSATION, endUserId: null })).toBeNull();
    expect(await conversations.items(SHOP, { id: CONVERSATION, endUserId: null })).toEqual(ITEMS);
    expect(await conversations.items(ANN, { id: OF_ANN, endUserId: null })).toEqual(ITEMS);
    expect(await conversations.item(ANN, { id: OF_ANN, endUserId: null }, 'fco_h')).toMatchObject({
      item: ITEMS[7],
      position: { at: 14 },
    });
    const { dataSource } = database;
    expect(await conversations.reserve(dataSource, KIOSK, { id: CONVERSATION, endUserId: null }, 1)).toBe(20);
  });

  it('keeps responses with their input, output and chain', async () => {
    const identity = { id: SECOND, endUserId: null };
    for (const by of [SHOP, KIOSK, ADMIN]) {
      const response = await responses.find(by, identity);
      expect(response).toEqual(RESPONSE);
      expect(Object.keys(response ?? {})).toEqual(Object.keys(RESPONSE));
      expect(await responses.input(by, identity)).toEqual([...ITEMS.slice(0, 5), ITEMS[0]]);
      expect(await responses.ancestors(by, identity, 9)).toEqual([
        { id: FIRST, previousId: null },
        { id: SECOND, previousId: FIRST },
      ]);
    }
    expect(await responses.find(ANN, identity)).toBeNull();
    const items = await responses.items(SHOP, [FIRST], null);
    expect(items.get(FIRST)).toHaveLength(8);
  });

  it('withholds the quotes of older answers when their document is gone', async () => {
    await database.dataSource.query('update documents set end_user_id = $1', ['bob']);
    const shown = JSON.stringify([
      await read(),
      await conversations.items(ANN, { id: OF_ANN, endUserId: null }),
    ]);
    expect(shown).toContain('Every Tuesday.'); // the administrator and the keys without an end user still read it
    const toAnn = JSON.stringify([
      await conversations.items(ANN, { id: OF_ANN, endUserId: null }),
      await chats.turns(ANN, [CHAT], null),
    ]);
    expect(toAnn).not.toContain('Every Tuesday.');
    await database.dataSource.query('update documents set end_user_id = null');
  });

  it('can be reverted and run again', async () => {
    const before = await read();
    await revertMigration(database.dataSource, Talk1700000042000);
    await migrate(database.dataSource);
    expect(await read()).toEqual(before);
  }, 60_000);
});
