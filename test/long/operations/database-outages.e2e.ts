import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Answer, Client } from '../../support/client.js';
import { TcpProxy } from '../../support/tcp-proxy.js';
import { Documents, type DocumentRecord } from '../../support/documents.js';
import {
  createServerDatabase,
  onServer,
  serverUrl,
  type ServerDatabase,
} from '../../support/server-database.js';
import { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

/** Shorter than the default, so that tests are fast. */
const STATEMENT_MS = 1_500;
const CONNECT_MS = 1_000;

const TEXT = 'The lantern burns whale oil.';

// The embedded database has no connection that a proxy could interrupt.
onServer('a database that fails (needs DATABASE_URL)', () => {
  let database: ServerDatabase;
  let proxy: TcpProxy;
  let service: Service;
  let documents: Documents;
  let observer: pg.Client;
  let blocker: pg.Client;
  let lantern: DocumentRecord;
  beforeAll(async () => {
    database = await createServerDatabase(serverUrl ?? '');
    proxy = await TcpProxy.start(database.url);
    service = await Service.start({
      DATABASE_URL: proxy.url,
      DATABASE_POOL_SIZE: '4',
      DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_MS),
      DATABASE_CONNECT_TIMEOUT_MS: String(CONNECT_MS),
    });
    documents = new Documents(() => service.client);
    const connected = async () => {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      return client;
    };
    [observer, blocker] = await Promise.all([connected(), connected()]);
    lantern = await documents.ingestText(TEXT);
  });
  afterAll(async () => {
    await Promise.all([observer.end(), blocker.end()]);
    await service.stop();
    await proxy.close();
    await database.drop();
  });

  const ask = (client: Client) => client.post('/retrieve/chunks', { query: 'What does the lantern burn?' });

  /** One request of every kind. */
  const requests = (): Promise<Answer>[] => {
    const { client } = service;
    const { external_id: id } = lantern;
    const form = new FormData();
    form.append('file', new Blob(['# Lanterns']), 'lanterns.md');
    return [
      ask(client),
      client.post('/retrieve/chunks/grouped', { query: 'What does the lantern burn?' }),
      client.post('/query', { query: 'What does the lantern burn?' }),
      client.get(`/documents/${id}`),
      client.post('/documents', {}),
      client.post('/ingest/text', { content: 'Lost or not.' }),
      client.post('/ingest/file', form),
      client.post(`/documents/${id}/update_text`, { content: 'It was lit at dusk.' }),
      client.post(`/documents/${id}/update_metadata`, { lit: true }),
      client.delete(`/documents/${id}`),
      client.get('/keys'),
      client.get('/health/ready'),
    ];
  };

  const expectRefused = (answers: readonly Answer[], among: readonly number[]) => {
    for (const answer of answers) {
      expect(among).toContain(answer.status);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((answer.json() as { detail: string }).detail).toMatch(/database/i);
    }
  };

  const expectNamedByHealth = async () => {
    const answer = await service.client.get('/health');
    const { services } = answer.json() as { services: { name: string; status: string; message: string }[] };
    expect(answer.status).toBe(503);
    const found = services.find(({ name }) => name === 'database');
    expect(found?.status).toBe('unhealthy');
    expect(found?.message).toMatch(/database/i);
    expect((await service.client.get('/ping')).status).toBe(200);
  };

  /** Waits until everything works again without a restart, including ingestion. */
  const recovered = async () => {
    for (const look of ['/health', '/health/ready']) {
      await until('the service answers again', async () => (await service.client.get(look)).status === 200);
    }
    const kept = await service.client.get(`/documents/${lantern.external_id}`);
    if (kept.status === 404) lantern = await documents.ingestText(TEXT); // the deletion may have been committed
    expect((await ask(service.client)).status).toBe(200);
    expect((await documents.ingestText('The tide came in.')).system_metadata.status).toBe('completed');
  };

  it('that hangs: every request gets a response, and /health reports the database', async () => {
    proxy.freeze();
    const [answers, more] = await Promise.all([
      Promise.all(requests()),
      Promise.all(Array.from({ length: 12 }, () => ask(service.client))),
      expectNamedByHealth(),
    ]);
    expectRefused([...answers, ...more], [503]);
    expectRefused(await Promise.all(requests()), [503]);
    await expectNamedByHealth();
    proxy.resume();
    await recovered();
  });

  it('that is slow: every request gets a response', async () => {
    proxy.delay(STATEMENT_MS * 2);
    expectRefused(await Promise.all(requests()), [503, 504]);
    await expectNamedByHealth();
    proxy.resume();
    await recovered();
  });

  it('that accepts no connections: every request gets a response', async () => {
    await proxy.refuse();
    expectRefused(await Promise.all(requests()), [503]);
    await expectNamedByHealth();
    await proxy.accept();
    await recovered();
  });

  /** Returns the service's statements that wait for a lock. */
  const waiting = async (): Promise<number> => {
    const { rows } = await observer.query<object>(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length;
  };

  it('that drops connections: running requests get a response', async () => {
    await blocker.query('begin');
    await blocker.query('lock table chunks, documents in access exclusive mode');
    const asking = ask(service.client);
    await until('a statement waits', async () => (await waiting()) > 0);
    proxy.cut();
    expectRefused([await asking], [503]);
    await blocker.query('rollback');
    await recovered();
  });

  it('that exceeds the statement deadline: the statement is cancelled', async () => {
    await blocker.query('begin');
    await blocker.query('lock table chunks, documents in access exclusive mode');
    const answers = await Promise.all([
      ask(service.client),
      service.client.get(`/documents/${lantern.external_id}`),
    ]);
    expectRefused(answers, [504]);
    await until('no statement waits', async () => (await waiting()) === 0);
    await blocker.query('rollback');
    await recovered();
  });

  it('that comes back: interrupted ingestion resumes', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const body = { content: `Paragraph ${n} of the log book of the tender. `.repeat(200) };
      ids.push(((await service.client.post('/ingest/text', body)).json() as DocumentRecord).external_id);
    }
    proxy.freeze();
    expectRefused([await ask(service.client)], [503]);
    proxy.resume();
    for (const id of ids) {
      const { system_metadata: told } = await documents.settled(id);
      expect([told.status, told.error]).toEqual(['completed', undefined]);
    }
  });

  it('whose COMMIT response is lost: a retried update returns the committed result', async () => {
    const { external_id: id } = await documents.ingestText('Counted once.');
    const update = () =>
      service.client.post(
        `/documents/${id}/update_text`,
        { content: 'A marked addition.' },
        { headers: { 'Idempotency-Key': key } },
      );
    const key = randomUUID();
    proxy.loseCommitOf('A marked addition.');
    expectRefused([await update()], [503]);
    expect((await update()).status).toBe(200);
    expect(await documents.text(id)).toBe('Counted once.\n\nA marked addition.');
    expect((await documents.get(id)).system_metadata.version).toBe(2);
  });

  it('whose COMMIT response is lost: an ingested document keeps its file', async () => {
    proxy.loseCommitOf('marked.txt');
    const body = { content: 'A marked document.', filename: 'marked.txt' };
    expectRefused([await service.client.post('/ingest/text', body)], [503]);
    const { documents: found } = (
      await service.client.post('/documents', { document_filters: { filename: 'marked.txt' } })
    ).json() as { documents: DocumentRecord[] };
    expect(found).toHaveLength(1);
    const record = await documents.settled(found[0]?.external_id ?? '');
    expect(record.system_metadata.status).toBe('completed');
    expect((await service.client.get(`/documents/${record.external_id}/file`)).text).toBe(
      'A marked document.',
    );
  });
});
