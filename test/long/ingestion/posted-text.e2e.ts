import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Documents, textOf, type DocumentRecord } from '../../support/documents.js';
import { startFakeEmbeddings, type FakeEmbeddings } from '../../support/fake-embeddings.mjs';
import { Service } from '../../support/service.js';

const REFUSAL = { status: 400, json: { error: { message: 'not for me' } } };
/** A BOM, line ends and white space, which the pipeline must not change. */
const TEXT = '\uFEFFGröße eins.\r\n\r\n\tZwei 🪔 Lampen. \n';

describe('a posted text', () => {
  let embeddings: FakeEmbeddings;
  let service: Service;
  let documents: Documents;
  let refuses = false;

  beforeAll(async () => {
    embeddings = await startFakeEmbeddings({ answer: () => (refuses ? REFUSAL : undefined) });
    service = await Service.start({
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: embeddings.url,
      EMBEDDING_DIMENSIONS: '384',
    });
    documents = new Documents(() => service.client);
  });
  beforeEach(() => {
    refuses = false;
  });
  afterAll(async () => {
    await service.stop();
    await embeddings.close();
  });

  const post = async (content: string): Promise<string> => {
    const answer = await service.client.post('/ingest/text', { content, filename: 'lamps.txt' });
    expect(answer.status).toBe(200);
    return (answer.json() as DocumentRecord).external_id;
  };
  const fileOf = async (id: string): Promise<string> => {
    const response = await service.client.fetch('GET', `/documents/${id}/file`);
    expect(response.status).toBe(200);
    return Buffer.from(await response.arrayBuffer()).toString('utf8');
  };
  const requeue = async (id: string): Promise<void> => {
    const answer = await service.client.post('/ingest/requeue', { jobs: [{ external_id: id }] });
    expect(answer.json()).toMatchObject({ results: [{ status: 'requeued' }] });
  };

  it('is stored in the database only, and is the file of its document', async () => {
    const id = await post(TEXT);
    const { download_url: link } = (await service.client.get(`/documents/${id}/download_url`)).json() as {
      download_url: string;
    };
    const linked = async (): Promise<Buffer> => Buffer.from(await (await fetch(link)).arrayBuffer());
    expect(await linked()).toEqual(Buffer.from(TEXT));
    expect(await documents.settled(id)).toMatchObject({
      storage_info: { filename: 'lamps.txt', content_type: 'text/plain' },
      storage_files: [],
      system_metadata: { status: 'completed', version: 1 },
    });
    expect([await fileOf(id), await documents.text(id)]).toEqual([TEXT, TEXT]);
    const entries = await readdir(join(service.dataDir, 'files'), { recursive: true, withFileTypes: true });
    expect(entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))).toEqual([]);
    await requeue(id);
    expect((await documents.settled(id)).system_metadata).toMatchObject({ status: 'completed', version: 1 });
    expect(await linked()).toEqual(Buffer.from(TEXT));
    expect(textOf(await documents.chunks(id))).toBe(TEXT);
  });

  it('that cannot be embedded is kept: it is retried, or replaced by an update', async () => {
    refuses = true;
    const ids = await Promise.all([post(TEXT), post(TEXT), post(TEXT)]);
    for (const id of ids) {
      expect((await documents.settled(id)).system_metadata.status).toBe('failed');
      expect(await fileOf(id)).toBe(TEXT);
    }
    refuses = false;
    const [again, ...others] = ids;
    await requeue(again);
    expect((await documents.settled(again)).system_metadata.status).toBe('completed');
    expect(textOf(await documents.chunks(again))).toBe(TEXT);
    for (const [at, id] of others.entries()) {
      const strategy = ['add', 'replace'][at];
      const url = `/documents/${id}/update_text?update_strategy=${strategy}`;
      expect((await service.client.post(url, { content: 'Drei.' })).status).toBe(200);
      const texts = [await documents.text(id), textOf(await documents.chunks(id)), await fileOf(id)];
      expect(texts).toEqual(['Drei.', 'Drei.', 'Drei.']);
    }
  });
});
