import OpenAI, { toFile } from 'openai';
import { SharedService } from '../support/shared-service.js';

const COUNT = 7;
const LIMIT = 3;

/** Clients delete what they list. The cursor is then the id of an object that is gone. */
describe('a list goes on behind an object that was deleted', () => {
  let service: SharedService;
  let client: OpenAI;
  beforeAll(async () => {
    service = await SharedService.enter();
    client = new OpenAI({ apiKey: service.adminKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => service.stop());

  const upload = async (index: number): Promise<string> => {
    const file = await toFile(Buffer.from(`Lamp ${index} is lit.`), `${index}.txt`);
    return (await client.files.create({ file, purpose: 'assistants' })).id;
  };
  const uploads = async (): Promise<string[]> => {
    const ids: string[] = [];
    for (let index = 0; index < COUNT; index += 1) ids.push(await upload(index));
    return ids;
  };
  const storeWith = async (files: readonly string[]): Promise<string> => {
    const { id } = await client.vectorStores.create({ name: 'lamps' });
    for (const file of files) await client.vectorStores.files.createAndPoll(id, { file_id: file });
    return id;
  };

  const respond = async (conversation: string, input: OpenAI.Responses.ResponseInput | string) => {
    const tool = { type: 'file_search' as const, vector_store_ids: [await storeWith([])] };
    return client.responses.create({ model: 'lectern', conversation, input, tools: [tool] });
  };

  /** Reads all pages, and calls `remove` for each object before the next page is read. */
  async function walk(
    list: AsyncIterable<{ readonly id: string }>,
    remove: (id: string) => Promise<unknown>,
  ): Promise<string[]> {
    const seen: string[] = [];
    for await (const { id } of list) {
      seen.push(id);
      await remove(id);
    }
    return seen;
  }

  it.each(['asc', 'desc'] as const)('of files, in %s order', async (order) => {
    const ids = await uploads();
    const seen = await walk(client.files.list({ limit: LIMIT, order }), (id) => client.files.delete(id));
    expect(seen).toEqual(order === 'asc' ? ids : ids.toReversed());
    expect((await client.files.list()).data).toEqual([]);
  });

  it('of files, when only some are deleted', async () => {
    const ids = await uploads();
    const seen = await walk(client.files.list({ limit: LIMIT, order: 'asc' }), async (id) => {
      if (ids.indexOf(id) % 3 === 2) await client.files.delete(id);
    });
    expect(seen).toEqual(ids);
    await walk(client.files.list(), (id) => client.files.delete(id));
  });

  it('of vector stores', async () => {
    const ids: string[] = [];
    for (let index = 0; index < COUNT; index += 1) {
      ids.push((await client.vectorStores.create({ name: `store ${index}` })).id);
    }
    const seen = await walk(client.vectorStores.list({ limit: LIMIT }), (id) =>
      client.vectorStores.delete(id),
    );
    expect(seen).toEqual(ids.toReversed());
  });

  it.each(['asc', 'desc'] as const)('of the files of a vector store, in %s order', async (order) => {
    const ids = await uploads();
    // The order of the attachments is not that of the uploads.
    const attached = [...ids.slice(3), ...ids.slice(0, 3)];
    const store = await storeWith(attached);
    const list = client.vectorStores.files.list(store, { limit: LIMIT, order });
    const seen = await walk(list, (id) => client.vectorStores.files.delete(id, { vector_store_id: store }));
    expect(seen).toEqual(order === 'asc' ? attached : attached.toReversed());
    await walk(client.files.list(), (id) => client.files.delete(id));
  });

  it('of the files of a vector store, when the uploaded files are deleted', async () => {
    const ids = await uploads();
    const store = await storeWith(ids);
    const list = client.vectorStores.files.list(store, { limit: LIMIT, order: 'asc' });
    expect(await walk(list, (id) => client.files.delete(id))).toEqual(ids);
  });

  it('of the files of a batch', async () => {
    const ids = await uploads();
    const { id: store } = await client.vectorStores.create({ name: 'lamps' });
    const batch = await client.vectorStores.fileBatches.createAndPoll(store, { file_ids: ids });
    const list = client.vectorStores.fileBatches.listFiles(batch.id, {
      vector_store_id: store,
      limit: LIMIT,
    });
    const seen = await walk(list, (id) => client.vectorStores.files.delete(id, { vector_store_id: store }));
    expect([...seen].sort()).toEqual([...ids].sort());
  });

  it.each(['asc', 'desc'] as const)('of the items of a conversation, in %s order', async (order) => {
    const message = (index: number): { role: 'user'; content: string } => {
      return { role: 'user', content: `Lamp ${index} is lit.` };
    };
    const { id } = await client.conversations.create({ items: [0, 1, 2].map(message) });
    // The ids of these items tell their response, not their place in the conversation.
    await respond(id, 'Which lamp is lit?');
    await client.conversations.items.create(id, { items: [5, 6].map(message) });
    const all: string[] = [];
    for await (const item of client.conversations.items.list(id, { order })) all.push(item.id ?? '');
    expect(all).toHaveLength(COUNT + 1);
    const items = client.conversations.items.list(id, { limit: LIMIT, order });
    const remove = (item: string): Promise<unknown> =>
      client.conversations.items.delete(item, { conversation_id: id });
    const seen = await walk(items as AsyncIterable<{ readonly id: string }>, remove);
    expect(seen).toEqual(all);
    expect((await client.conversations.items.list(id)).data).toEqual([]);
    const other = await client.conversations.create({});
    await expect(client.conversations.items.list(other.id, { after: all[0] ?? '' })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('of the input of a response, whose items are copies', async () => {
    const { id } = await client.conversations.create({});
    const given = Array.from({ length: COUNT }, (_, at) => ({
      role: 'user' as const,
      content: `Lamp ${at}?`,
    }));
    const response = await respond(id, given);
    const list = client.responses.inputItems.list(response.id, { limit: LIMIT, order: 'asc' });
    const seen = await walk(list as AsyncIterable<{ readonly id: string }>, (item) =>
      client.conversations.items.delete(item, { conversation_id: id }),
    );
    expect(seen).toHaveLength(COUNT);
    expect(new Set(seen).size).toBe(COUNT);
    await expect(
      client.responses.inputItems.list(response.id, { after: 'msg_of_another' }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it('but not behind an id that the list never had', async () => {
    const [id = ''] = await uploads();
    const store = await storeWith([]);
    await expect(client.vectorStores.files.list(store, { after: id })).rejects.toMatchObject({ status: 400 });
    const unknown = `file-${'0'.repeat(32)}`;
    await expect(client.files.list({ after: unknown })).rejects.toMatchObject({ status: 400 });
  });
});
