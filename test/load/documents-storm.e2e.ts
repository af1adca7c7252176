import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Documents, textOf, type DocumentRecord } from '../support/documents.js';
import { Random } from '../support/random.js';
import { Service } from '../support/service.js';

/** Concurrent operations; STORM=2000 for a longer run. */
const OPERATIONS = Number(process.env['STORM'] ?? 80);
const DOCUMENTS = 8;

describe('many clients of a few documents', () => {
  let service: Service;
  let documents: Documents;
  beforeAll(async () => {
    service = await Service.start();
    documents = new Documents(() => service.client);
  });
  afterAll(() => service.stop());

  it('leave each document either whole or deleted, with exactly its files', async () => {
    const random = new Random(7);
    const ids: string[] = [];
    for (let n = 0; n < DOCUMENTS; n += 1) {
      ids.push((await documents.ingestText(`Document ${n}. `.repeat(100))).external_id);
    }
    const form = (content: string, strategy: string) => {
      const made = new FormData();
      made.append('file', new Blob([content]), 'update.md');
      made.append('update_strategy', strategy);
      return made;
    };
    const operations: ((id: string, n: number) => Promise<{ status: number }>)[] = [
      (id, n) => service.client.post(`/documents/${id}/update_text`, { content: `Text ${n}. `.repeat(30) }),
      (id, n) =>
        service.client.post(`/documents/${id}/update_text?update_strategy=replace`, { content: `All ${n}.` }),
      (id, n) => service.client.post(`/documents/${id}/update_file`, form(`# File ${n}\n\nWords.`, 'add')),
      (id, n) =>
        service.client.post(`/documents/${id}/update_file`, form(`# File ${n}\n\nWords.`, 'replace')),
      (id, n) => service.client.post(`/documents/${id}/update_metadata`, { [`k${n}`]: n }),
      (id) => service.client.post('/ingest/requeue', { jobs: [{ external_id: id }] }),
      (id) => service.client.get(`/documents/${id}/file`),
      (id) => service.client.post('/retrieve/chunks', { query: 'words', filters: { external_id: id } }),
      (id, n) =>
        n % 5 === 0
          ? service.client.delete(`/documents/${id}`)
          : service.client.get(`/documents/${id}/status`),
    ];
    const work = Array.from({ length: OPERATIONS }, async (_, n) => {
      const id = ids[random.below(ids.length)] ?? '';
      const operation = operations[random.below(operations.length)];
      if (operation === undefined) throw new Error('there is no such operation');
      return (await operation(id, n)).status;
    });
    const statuses = new Set(await Promise.all(work));
    expect([200, 404, 409]).toEqual(expect.arrayContaining([...statuses]));

    const survivors: DocumentRecord[] = [];
    for (const id of ids) {
      if ((await service.client.get(`/documents/${id}`)).status === 404) continue;
      const record = await documents.settled(id);
      expect(record.system_metadata).toMatchObject({ status: 'completed' });
      expect(record.system_metadata).not.toHaveProperty('error');
      const chunks = await documents.chunks(id);
      expect(textOf(chunks)).toBe(await documents.text(id));
      expect(record.chunk_ids).toHaveLength(chunks.length);
      const versions = record.system_metadata.update_history.map(({ version }) => version);
      expect(versions).toEqual(versions.map((_, n) => n + 2));
      survivors.push(record);
    }
    const kept = survivors.flatMap(({ storage_files: files }) => files.map(({ key }) => key));
    expect(await storedKeys(join(service.dataDir, 'files'))).toEqual(kept.sort());
    for (const { external_id } of survivors) await service.client.delete(`/documents/${external_id}`);
    expect(await storedKeys(join(service.dataDir, 'files'))).toEqual([]);
    expect(await documents.retrieve({ query: 'words', k: 100 })).toEqual([]);
  });
});

async function storedKeys(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== '.owner') // excludes the owner file of the store
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}
