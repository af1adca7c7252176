import OpenAI, { BadRequestError, NotFoundError, toFile } from 'openai';
import { Documents } from '../support/documents.js';
import { SharedService } from '../support/shared-service.js';

const UNKNOWN_FILE = `file-${'0'.repeat(32)}`;
const UNKNOWN_STORE = `vs_${'0'.repeat(32)}`;

describe('vector stores of the OpenAI protocol', () => {
  let service: SharedService;
  let client: OpenAI;
  beforeAll(async () => {
    service = await SharedService.enter();
    client = new OpenAI({ apiKey: service.adminKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
  });
  afterAll(() => service.stop());

  const upload = async (name: string, text: string | Buffer): Promise<string> =>
    (await client.files.create({ file: await toFile(Buffer.from(text), name), purpose: 'assistants' })).id;
  const storeOf = async (name: string): Promise<string> => (await client.vectorStores.create({ name })).id;
  const counts = async (store: string): Promise<Partial<OpenAI.VectorStore.FileCounts>> => {
    const { cancelled: _, ...rest } = (await client.vectorStores.retrieve(store)).file_counts;
    return rest;
  };
  const documentsIn = async (store: string): Promise<number> => {
    const path = `/documents?folder_name=/vector_stores/${store}`;
    const listed = await service.client.post(path, { include_total_count: true });
    return (listed.json() as { total_count: number }).total_count;
  };

  it('are created, changed, listed and deleted', async () => {
    const store = await client.vectorStores.create({
      name: 'Harbour',
      metadata: { customer: 'acme' },
      expires_after: { anchor: 'last_active_at', days: 7 },
    });
    expect(store).toMatchObject({
      id: expect.stringMatching(/^vs_[0-9a-f]{32}$/) as string,
      object: 'vector_store',
      name: 'Harbour',
      status: 'completed',
      usage_bytes: 0,
      file_counts: { in_progress: 0, completed: 0, failed: 0, cancelled: 0, total: 0 },
      metadata: { customer: 'acme' },
      expires_after: { anchor: 'last_active_at', days: 7 },
    });
    expect((store.expires_at ?? 0) - (store.last_active_at ?? 0)).toBe(7 * 86_400);
    const changed = await client.vectorStores.update(store.id, { expires_after: null });
    expect(changed).toMatchObject({ name: 'Harbour', metadata: { customer: 'acme' }, expires_at: null });
    const emptied = await client.vectorStores.update(store.id, { name: null, metadata: null });
    expect(emptied).toMatchObject({ name: '', metadata: null });

    const others = [await storeOf('b'), await storeOf('c')];
    const ids: string[] = [];
    for await (const { id } of client.vectorStores.list({ order: 'asc', limit: 1 })) ids.push(id);
    expect(ids).toEqual([store.id, ...others]);
    const before = await client.vectorStores.list({ order: 'asc', limit: 1, before: ids[2] ?? '' });
    expect([before.data.map(({ id }) => id), before.has_more]).toEqual([[ids[1]], true]);

    for (const id of ids) {
      expect(await client.vectorStores.delete(id)).toEqual({
        id,
        object: 'vector_store.deleted',
        deleted: true,
      });
      await expect(client.vectorStores.retrieve(id)).rejects.toBeInstanceOf(NotFoundError);
    }
  });

  it('ingest a file for a polling helper, and find it', async () => {
    const store = await storeOf('poll');
    const file = await toFile(Buffer.from('The keeper is relieved every Tuesday at noon.'), 'keeper.txt');
    const attached = await client.vectorStores.files.uploadAndPoll(store, file);
    expect(attached).toMatchObject({
      object: 'vector_store.file',
      status: 'completed',
      vector_store_id: store,
      last_error: null,
      attributes: {},
      chunking_strategy: { type: 'other' },
    });
    expect(attached.usage_bytes).toBeGreaterThan(45);
    expect((await client.vectorStores.retrieve(store)).usage_bytes).toBe(attached.usage_bytes);
    const content = await client.vectorStores.files.content(attached.id, { vector_store_id: store });
    expect(content.data.map(({ text }) => text)).toEqual(['The keeper is relieved every Tuesday at noon.']);
    const found = await client.vectorStores.search(store, { query: 'When is the keeper relieved?' });
    expect(found.data).toEqual([
      {
        file_id: attached.id,
        filename: 'keeper.txt',
        score: expect.any(Number) as number,
        attributes: {},
        content: [{ type: 'text', text: 'The keeper is relieved every Tuesday at noon.' }],
      },
    ]);
  });

  it('contain a file once, and detach it alone', async () => {
    const [one, other] = [await storeOf('one'), await storeOf('other')];
    const file = await upload('shared.txt', 'Pilots board at buoy nine.');
    for (const store of [one, other]) {
      await client.vectorStores.files.createAndPoll(store, { file_id: file });
      await client.vectorStores.files.createAndPoll(store, { file_id: file, attributes: { kind: store } });
      expect([await counts(store), await documentsIn(store)]).toEqual([
        { in_progress: 0, completed: 1, failed: 0, total: 1 },
        1,
      ]);
    }
    await client.vectorStores.files.delete(file, { vector_store_id: one });
    expect([await documentsIn(one), await documentsIn(other)]).toEqual([0, 1]);
    await expect(client.vectorStores.files.retrieve(file, { vector_store_id: one })).rejects.toBeInstanceOf(
      NotFoundError,
    );
    expect(await (await client.files.content(file)).text()).toBe('Pilots board at buoy nine.');
    const again = await client.vectorStores.files.createAndPoll(one, { file_id: file });
    expect(again).toMatchObject({ status: 'completed', attributes: {} });

    await client.files.delete(file);
    for (const store of [one, other]) {
      expect([(await counts(store)).total, await documentsIn(store)]).toEqual([0, 0]);
      expect((await client.vectorStores.search(store, { query: 'pilots' })).data).toEqual([]);
    }
  });

  it('report why a file failed, and retry when it is attached again', async () => {
    const store = await storeOf('failing');
    const empty = await upload('empty.txt', '');
    const binary = await upload('x.bin', Buffer.from([0, 1, 2, 3, 255, 254, 0, 7]));
    const [one, other] = [
      await client.vectorStores.files.createAndPoll(store, { file_id: empty }),
      await client.vectorStores.files.createAndPoll(store, { file_id: binary }),
    ];
    expect([one.status, one.last_error?.code, one.last_error?.message]).toEqual([
      'failed',
      'invalid_file',
      'The file is empty: upload it again with its content.',
    ]);
    expect([other.status, other.last_error?.code]).toEqual(['failed', 'unsupported_file']);
    expect(await counts(store)).toEqual({ in_progress: 0, completed: 0, failed: 2, total: 2 });
    await client.vectorStores.files.createAndPoll(store, { file_id: empty });
    expect([(await counts(store)).total, await documentsIn(store)]).toEqual([2, 2]);
    const filtered = async (filter: 'failed' | 'completed' | 'in_progress' | 'cancelled'): Promise<number> =>
      (await client.vectorStores.files.list(store, { filter })).data.length;
    expect([await filtered('failed'), await filtered('completed'), await filtered('cancelled')]).toEqual([
      2, 0, 0,
    ]);
    await client.vectorStores.files.delete(binary, { vector_store_id: store });
    expect(await counts(store)).toEqual({ in_progress: 0, completed: 0, failed: 1, total: 1 });
  });

  it('use the given chunking strategy, also after a requeue', async () => {
    const store = await storeOf('chunks');
    const text = Array.from(
      { length: 300 },
      (_, number) => `The gull number ${number} sits on the pier.`,
    ).join(' ');
    const file = await upload('gulls.txt', text);
    const split = {
      type: 'static',
      static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 10 },
    } as const;
    const small = await client.vectorStores.files.createAndPoll(store, {
      file_id: file,
      chunking_strategy: split,
    });
    expect(small.chunking_strategy).toEqual(split);
    const chunks = async (): Promise<number> => {
      const listed = await service.client.post(`/documents?folder_name=/vector_stores/${store}`, {});
      const [document] = (listed.json() as { documents: { chunk_ids: string[] }[] }).documents;
      return document?.chunk_ids.length ?? 0;
    };
    const fine = await chunks();
    const documents = new Documents(() => service.client);
    const listed = await service.client.post(`/documents?folder_name=/vector_stores/${store}`, {});
    const [{ external_id: id } = { external_id: '' }] = (
      listed.json() as { documents: { external_id: string }[] }
    ).documents;
    await service.client.post('/ingest/requeue', { jobs: [{ external_id: id }] });
    await documents.settled(id);
    expect(await chunks()).toBe(fine);

    const large = {
      type: 'static',
      static: { max_chunk_size_tokens: 4096, chunk_overlap_tokens: 400 },
    } as const;
    const used = await client.vectorStores.files.createAndPoll(store, {
      file_id: file,
      chunking_strategy: large,
    });
    expect(used.chunking_strategy).toEqual({
      type: 'static',
      static: { max_chunk_size_tokens: 254, chunk_overlap_tokens: 127 },
    });
    expect(await chunks()).toBeLessThan(fine);
    expect(await documentsIn(store)).toBe(1);
  });

  it('ingest file batches with attributes, and cancel waiting files', async () => {
    const store = await storeOf('batches');
    const ids = await Promise.all([1, 2, 3].map((n) => upload(`${n}.txt`, `Note ${n} about terns.`)));
    const batch = await client.vectorStores.fileBatches.createAndPoll(store, {
      files: ids.map((id, number) => ({ file_id: id, attributes: { number } })),
    });
    expect(batch).toMatchObject({
      id: expect.stringMatching(/^vsfb_[0-9a-f]{32}$/) as string,
      object: 'vector_store.files_batch',
      vector_store_id: store,
      status: 'completed',
      file_counts: { in_progress: 0, completed: 3, failed: 0, cancelled: 0, total: 3 },
    });
    const where = { vector_store_id: store };
    const listed: [string, unknown][] = [];
    for await (const file of client.vectorStores.fileBatches.listFiles(batch.id, {
      ...where,
      limit: 2,
      order: 'asc',
    })) {
      listed.push([file.id, file.attributes?.['number']]);
    }
    expect(listed.sort()).toEqual(ids.map((id, number) => [id, number]).sort());
    expect(await client.vectorStores.fileBatches.cancel(batch.id, where)).toMatchObject({
      status: 'completed',
    });

    const many = await Promise.all(Array.from({ length: 20 }, (_, n) => upload(`m${n}.txt`, `Memo ${n}.`)));
    const begun = await client.vectorStores.fileBatches.create(store, {
      file_ids: [...many, ...many, ...ids],
    });
    expect(begun.file_counts.total).toBe(23);
    await client.vectorStores.fileBatches.cancel(begun.id, where);
    const ended = await client.vectorStores.fileBatches.poll(store, begun.id);
    const { completed, cancelled, total } = ended.file_counts;
    expect([ended.file_counts.in_progress, total]).toEqual([0, 23]);
    // The last file may have been attached while the batch was cancelled.
    expect(cancelled > 0 ? ['cancelled'] : ['cancelled', 'completed']).toContain(ended.status);
    expect(completed + cancelled).toBe(23);
    const held = (await counts(store)).total ?? 0;
    expect(held).toBe(await documentsIn(store));
    const files: string[] = [];
    for await (const { id } of client.vectorStores.files.list(store, { limit: 5 })) files.push(id);
    expect([files.length, new Set(files).size]).toEqual([held, held]);
  });

  it('are created with files', async () => {
    const file = await upload('first.txt', 'The tide turns at four.');
    const store = await client.vectorStores.create({ file_ids: [file] });
    expect(store).toMatchObject({ status: 'in_progress', file_counts: { in_progress: 1, total: 1 } });
    await client.vectorStores.files.poll(store.id, file);
    expect(await client.vectorStores.retrieve(store.id)).toMatchObject({ status: 'completed' });
  });

  it('include every folder, with its documents as files', async () => {
    const documents = new Documents(() => service.client);
    const more = { filename: 'leave.md', folder_name: '/handbook', metadata: { year: 2026, tags: ['a'] } };
    const { external_id: documentId } = await documents.ingestText(
      'Everybody has thirty days of leave.',
      more,
    );
    const folder = (await service.client.get('/folders/handbook')).json() as { id: string };
    const store = `vs_${folder.id.replaceAll('-', '')}`;
    const file = `file-${documentId.replaceAll('-', '')}`;
    expect(await client.vectorStores.retrieve(store)).toMatchObject({
      id: store,
      name: '/handbook',
      status: 'completed',
      file_counts: { completed: 1, total: 1 },
    });
    const names: string[] = [];
    for await (const { name } of client.vectorStores.list()) names.push(name);
    expect(names).toContain('/handbook');
    expect(names).not.toContain('/vector_stores');
    const listed = await client.vectorStores.files.list(store);
    expect(listed.data).toMatchObject([{ id: file, attributes: { year: 2026 }, status: 'completed' }]);
    const found = await client.vectorStores.search(store, {
      query: 'How many days of leave?',
      filters: { type: 'eq', key: 'year', value: 2026 },
    });
    expect(found.data).toMatchObject([{ file_id: file, filename: 'leave.md', attributes: { year: 2026 } }]);

    const where = { vector_store_id: store };
    for (const refused of [
      client.vectorStores.delete(store),
      client.vectorStores.files.delete(file, where),
      client.vectorStores.files.update(file, { ...where, attributes: {} }),
      client.vectorStores.update(store, { expires_after: { anchor: 'last_active_at', days: 1 } }),
    ]) {
      await expect(refused).rejects.toBeInstanceOf(BadRequestError);
    }
    expect((await documents.get(documentId)).metadata).toMatchObject({ tags: ['a'], year: 2026 });
    await client.vectorStores.files.createAndPoll(store, {
      file_id: await upload('new.txt', 'Lunch is at one.'),
    });
    expect((await counts(store)).completed).toBe(2);
  });

  it('return 404 for unknown stores and files', async () => {
    const store = await storeOf('empty');
    const file = await upload('unattached.txt', 'x');
    for (const unknown of [
      client.vectorStores.retrieve(UNKNOWN_STORE),
      client.vectorStores.retrieve('vs_abc'),
      client.vectorStores.search(UNKNOWN_STORE, { query: 'x' }),
      client.vectorStores.files.create(UNKNOWN_STORE, { file_id: file }),
      client.vectorStores.files.create(store, { file_id: UNKNOWN_FILE }),
      client.vectorStores.files.retrieve(file, { vector_store_id: store }),
      client.vectorStores.create({ file_ids: [file, UNKNOWN_FILE] }),
      client.vectorStores.fileBatches.create(store, { file_ids: [UNKNOWN_FILE] }),
      client.vectorStores.fileBatches.retrieve(`vsfb_${'0'.repeat(32)}`, { vector_store_id: store }),
    ]) {
      await expect(unknown).rejects.toBeInstanceOf(NotFoundError);
    }
    expect(await counts(store)).toEqual({ in_progress: 0, completed: 0, failed: 0, total: 0 });
  });

  it.each<[string, object, string]>([
    ['', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, 'x'])) }, 'metadata'],
    ['', { metadata: { ['k'.repeat(65)]: 'x' } }, 'metadata'],
    ['', { metadata: { k: 'x'.repeat(513) } }, 'metadata.k'],
    ['', { metadata: { k: 1 } }, 'metadata.k'],
    ['', { expires_after: { anchor: 'last_active_at', days: 366 } }, 'expires_after.days'],
    ['', { expires_after: { anchor: 'created_at', days: 1 } }, 'expires_after.anchor'],
    ['', { chunking_strategy: { type: 'semantic' } }, 'chunking_strategy.type'],
    ['/search', { query: 'x', max_num_results: 51 }, 'max_num_results'],
    ['/search', { query: 'x', ranking_options: { score_threshold: 2 } }, 'ranking_options.score_threshold'],
    ['/search', { query: '' }, 'query'],
    ['/search', { query: [] }, 'query'],
    ['/files', { file_id: UNKNOWN_FILE, attributes: { k: ['x'] } }, 'attributes.k'],
    ['/files', { file_id: UNKNOWN_FILE, attributes: { k: 'x'.repeat(513) } }, 'attributes.k'],
    [
      '/files',
      {
        file_id: UNKNOWN_FILE,
        chunking_strategy: {
          type: 'static',
          static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 51 },
        },
      },
      'chunking_strategy.static.chunk_overlap_tokens',
    ],
    ['/file_batches', {}, 'file_ids'],
    ['/file_batches', { file_ids: [] }, 'file_ids'],
    ['/file_batches', { file_ids: ['a'], files: [{ file_id: 'a' }] }, 'files'],
    ['/file_batches', { file_ids: Array.from({ length: 2_001 }, () => UNKNOWN_FILE) }, 'file_ids'],
  ])('reject %s %j at %s', async (path, body, param) => {
    const at = path === '' ? '' : `/${UNKNOWN_STORE}${path}`;
    const answer = await service.client.post(`/v1/vector_stores${at}`, body);
    expect([answer.status, (answer.json() as { error: { param: string | null } }).error.param]).toEqual([
      400,
      param,
    ]);
  });
});
