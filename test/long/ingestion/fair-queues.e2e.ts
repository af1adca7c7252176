import type { Client } from '../../support/client.js';
import { Documents, type DocumentRecord } from '../../support/documents.js';
import { startFakeEmbeddings } from '../../support/fake-embeddings.mjs';
import { Service } from '../../support/service.js';

/** Documents of the larger tenant; 5,000 in the nightly run. */
const QUEUED = Number(process.env['QUEUED'] ?? 200);

interface Times {
  readonly created_at: string;
  readonly updated_at: string;
}

describe('two tenants that ingest concurrently', () => {
  let model: Awaited<ReturnType<typeof startFakeEmbeddings>>;
  let service: Service;
  let key: string;
  let few: Documents;
  beforeAll(async () => {
    // Slow enough for a queue to form.
    model = await startFakeEmbeddings({ delayMs: 150 });
    service = await Service.start({
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: model.url,
      EMBEDDING_DIMENSIONS: '384',
      INGEST_CONCURRENCY: '1',
    });
    const answer = await service.client.post('/keys', { name: 'few', scopes: ['admin'], app_id: 'few' });
    ({ key } = answer.json() as { key: string });
    few = new Documents(() => service.as(key));
  });
  afterAll(async () => {
    await service.stop();
    await model.close();
  });

  const queueText = async (client: Client, content: string): Promise<string> => {
    const answer = await client.post('/ingest/text', { content });
    expect(answer.status).toBe(200);
    return (answer.json() as DocumentRecord).external_id;
  };

  /** Returns the larger tenant's last completed documents, latest first. */
  const lastCompleted = async (): Promise<Times[]> => {
    const answer = await service.client.post('/documents/list_docs', {
      limit: 1_000,
      completed_only: true,
      sort_by: 'updated_at',
      sort_direction: 'desc',
    });
    return (answer.json() as { documents: { system_metadata: Times }[] }).documents.map(
      ({ system_metadata }) => system_metadata,
    );
  };

  it(`do not wait for each other: one document completes before all but three turns of a tenant with ${QUEUED}`, async () => {
    let left = QUEUED;
    const send = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await queueText(service.client, `Ringed plover ${left} was seen at the mouth of the river.`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, send));
    const { system_metadata: own } = await few.ingestText('The heron of the other tenant stands alone.');
    expect(own.status).toBe('completed');
    const { created_at: came, updated_at: done } = own as unknown as Times;
    const completed = await lastCompleted();
    expect(completed.length).toBeLessThan(QUEUED); // There was a queue. Documents of one turn complete at one moment.
    const between = new Set(
      completed.map(({ updated_at: at }) => at).filter((at) => at >= came && at <= done),
    );
    expect(between.size).toBeLessThanOrEqual(3);
  });

  it('complete short documents before long ones', async () => {
    const long = 'A sentence of a long report on the waders of the estuary. '.repeat(700);
    await queueText(service.as(key), long);
    const second = await queueText(service.as(key), `Second. ${long}`);
    const short = await few.ingestText('A short note on waders.');
    expect(short.system_metadata.status).toBe('completed');
    expect((await few.get(second)).system_metadata.status).toBe('processing');
    expect((await few.settled(second)).system_metadata.status).toBe('completed');
  });
});

describe('a slow file', () => {
  let model: Awaited<ReturnType<typeof startFakeEmbeddings>>;
  let service: Service;
  let documents: Documents;
  beforeAll(async () => {
    model = await startFakeEmbeddings({
      // Only the first of its many batches is delayed, so that the model has capacity for others.
      answer: ({ body }) => (JSON.stringify(body).includes('glacier') ? { never: 'headers' } : undefined),
    });
    service = await Service.start({
      EMBEDDING_MODEL: 'openai/fake',
      EMBEDDING_API_BASE: model.url,
      EMBEDDING_DIMENSIONS: '384',
    });
    documents = new Documents(() => service.client);
  });
  afterAll(async () => {
    await service.stop();
    await model.close();
  });

  it('does not delay short texts queued after it', async () => {
    const form = new FormData();
    const text = `The glacier moves. ${'It moves a metre a day. '.repeat(20_000)}`;
    form.append('file', new Blob([text]), 'ice.txt');
    const answer = await service.client.post('/ingest/file', form);
    const { external_id: slow } = answer.json() as DocumentRecord;
    for (let n = 0; n < 20; n += 1) {
      const { system_metadata: told } = await documents.ingestText(`Boat ${n} lies at the quay.`);
      expect(told.status).toBe('completed');
    }
    expect((await documents.get(slow)).system_metadata.status).toBe('processing');
    expect(service.output).not.toContain('trying again'); // no attempt had failed
  });
});
