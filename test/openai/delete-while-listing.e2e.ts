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

  it('but not behind an id that the list never had', async () => {
    const [id = ''] = await uploads();
    const store = await storeWith([]);
    await expect(client.vectorStores.files.list(store, { after: id })).rejects.toMatchObject({ status: 400 });
    const unknown = `file-${'0'.repeat(32)}`;
    await expect(client.files.list({ after: unknown })).rejects.toMatchObject({ status: 400 });
  });
});
