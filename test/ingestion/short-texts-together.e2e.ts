import pg from 'pg';
import { Documents, type DocumentRecord } from '../support/documents.js';
import { startFakeEmbeddings, type FakeEmbeddings } from '../support/fake-embeddings.mjs';
import { ServiceProcess } from '../support/process.js';
import { onServer } from '../support/server-database.js';
import { Service } from '../support/service.js';

const COUNT = 24;
/** Largest group of texts that a worker processes together. */
const MOST = 16;
const SPOILT = 'spoilt';

// With the embedded database, whose commits block all requests, a worker processes each document alone.
onServer('short texts that wait in the queue', () => {
  let embeddings: FakeEmbeddings;
  let service: Service;
  let documents: Documents;
  /** Texts of each call to the model. */
  let calls: string[][] = [];

  beforeAll(async () => {
    embeddings = await startFakeEmbeddings({
      answer: ({ body }) => {
        const texts = body['input'] as string[];
        calls.push(texts);
        const isSpoilt = texts.length > 1 && texts.some((text) => text.includes(SPOILT));
        return isSpoilt
          ? { status: 400, json: { error: { message: 'one of them is not for me' } } }
          : undefined;
      },
    });
    service = await Service.start({
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: embeddings.url,
      EMBEDDING_DIMENSIONS: '384',
      INGEST_CONCURRENCY: '1',
      WORKER: 'off',
    });
    documents = new Documents(() => service.client);
  });
  beforeEach(() => {
    calls = [];
  });
  afterAll(async () => {
    await service.stop();
    await embeddings.close();
  });

  /** Queues texts; a worker starts when all are queued. @returns the ids of their documents */
  async function queue(contents: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const content of contents) {
      const metadata = { lamp: ids.length };
      const answer = await service.client.post('/ingest/text', { content, metadata });
      ids.push((answer.json() as DocumentRecord).external_id);
    }
    return ids;
  }

  /** Runs a worker until the documents are completed. */
  async function work(ids: readonly string[]): Promise<void> {
    const worker = ServiceProcess.spawn({ ...service.environment, WORKER: 'only' });
    for (const id of ids) {
      const { system_metadata: state } = await documents.settled(id);
      expect(state).toMatchObject({ status: 'completed', version: 1 });
    }
    await worker.kill('SIGTERM');
  }

  const lamps = (): string[] =>
    Array.from({ length: COUNT }, (_, lamp) => `Lamp ${lamp} burns for ${lamp * 7} nights.`);

  it('share embedding batches, and each is found by its own words and metadata', async () => {
    const ids = await queue(lamps());
    await work(ids);
    expect(calls.map((texts) => texts.length)).toEqual([MOST, COUNT - MOST]);
    for (const [lamp, id] of ids.entries()) {
      const answer = await service.client.post('/retrieve/chunks', {
        query: `Lamp ${lamp}`,
        filters: { lamp },
        k: 5,
      });
      expect(answer.json()).toEqual([expect.objectContaining({ document_id: id, content: lamps()[lamp] })]);
    }
  });

  it('are processed one by one if one of them fails', async () => {
    const ids = await queue(lamps().map((text, at) => (at === 9 ? `Lamp ${at} is ${SPOILT}.` : text)));
    await work(ids);
    const alone = Array.from({ length: MOST }, () => 1);
    expect(calls.map((texts) => texts.length)).toEqual([MOST, ...alone, COUNT - MOST]);
  });

  it('do not wait for a document locked by another update', async () => {
    const ids = await queue(lamps());
    const [held = '', ...others] = ids;
    const other = new pg.Client({ connectionString: service.environment['DATABASE_URL'] });
    await other.connect();
    await other.query('begin');
    await other.query(
      `select from documents where app_id = 'default' and external_id = $1 for no key update`,
      [held],
    );
    const worker = ServiceProcess.spawn({ ...service.environment, WORKER: 'only' });
    for (const id of others.slice(0, MOST - 1)) {
      expect((await documents.settled(id)).system_metadata.status).toBe('completed');
    }
    expect((await documents.get(held)).system_metadata.status).toBe('processing');
    await other.query('commit');
    await other.end();
    expect((await documents.settled(held)).system_metadata.status).toBe('completed');
    await worker.kill('SIGTERM');
  });

  it('may be deleted before processing', async () => {
    const ids = await queue(lamps());
    const gone = ids.filter((_, at) => at % 3 === 2);
    for (const id of gone) expect((await service.client.delete(`/documents/${id}`)).status).toBe(200);
    await work(ids.filter((id) => !gone.includes(id)));
    for (const id of gone) expect((await service.client.get(`/documents/${id}`)).status).toBe(404);
  });
});
