import OpenAI, { toFile } from 'openai';
import { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

const FILES = Number(process.env['BATCH_FILES'] ?? 200);
const KILLS = Number(process.env['BATCH_KILLS'] ?? 5);
/** One file in this many is empty, and fails. */
const EMPTY_EVERY = 20;

interface Listed {
  readonly documents: readonly { readonly filename: string; readonly chunk_ids: readonly string[] }[];
}

describe('a batch of files while the service is killed', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.stop());

  const client = (): OpenAI =>
    new OpenAI({ apiKey: service.adminKey, baseURL: `${service.url}/v1`, maxRetries: 0 });

  it('ends with every file completed or failed with a reason, once', async () => {
    const ids: string[] = [];
    for (let number = 0; number < FILES; number += 1) {
      const text = number % EMPTY_EVERY === 0 ? '' : `Note ${number} about the gulls of pier ${number}.`;
      const file = await toFile(Buffer.from(text), `note-${number}.txt`);
      ids.push((await client().files.create({ file, purpose: 'assistants' })).id);
    }
    const store = await client().vectorStores.create({ name: 'killed' });
    const batch = await client().vectorStores.fileBatches.create(store.id, { file_ids: ids });
    expect(batch.file_counts).toMatchObject({ total: FILES });

    const settled = (counts: OpenAI.VectorStores.VectorStoreFileBatch.FileCounts): number =>
      counts.completed + counts.failed;
    let done = 0;
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const goal = Math.floor((kill * FILES) / (KILLS + 1));
      await until(`${goal} files are done`, async () => {
        const { file_counts: counts } = await client().vectorStores.fileBatches.retrieve(batch.id, {
          vector_store_id: store.id,
        });
        // Confirmed outcomes are final, and every file is counted once.
        expect([counts.total, settled(counts) >= done]).toEqual([FILES, true]);
        done = settled(counts);
        return done >= goal;
      });
      await service.kill9();
      await service.restart();
    }

    const ended = await client().vectorStores.fileBatches.poll(store.id, batch.id);
    const failed = Math.ceil(FILES / EMPTY_EVERY);
    const counts = { in_progress: 0, completed: FILES - failed, failed, cancelled: 0, total: FILES };
    expect([ended.status, ended.file_counts]).toEqual(['completed', counts]);
    expect((await client().vectorStores.retrieve(store.id)).file_counts).toEqual(counts);

    const files = new Map<string, OpenAI.VectorStores.VectorStoreFile>();
    for await (const file of client().vectorStores.files.list(store.id, { limit: 100 })) {
      expect(files.has(file.id)).toBe(false);
      files.set(file.id, file);
    }
    expect([...files.keys()].sort()).toEqual([...ids].sort());
    for (const [number, id] of ids.entries()) {
      const file = files.get(id);
      expect([number, file?.status, file?.last_error?.code]).toEqual(
        number % EMPTY_EVERY === 0 ? [number, 'failed', 'invalid_file'] : [number, 'completed', undefined],
      );
    }

    const path = `/documents?folder_name=/vector_stores/${store.id}`;
    const { documents } = (await service.client.post(path, { limit: FILES + 1 })).json() as Listed;
    const names = documents.map(({ filename }) => filename);
    expect([names.length, new Set(names).size]).toEqual([FILES, FILES]);
    expect(documents.reduce((sum, { chunk_ids: chunks }) => sum + chunks.length, 0)).toBe(FILES - failed);
  });
});
