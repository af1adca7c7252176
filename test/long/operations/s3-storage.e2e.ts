import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { HealthDto } from '../../../src/operations/health/health.dto.js';
import { Client, type Answer } from '../../support/client.js';
import { Documents, type DocumentRecord } from '../../support/documents.js';
import { startFakeS3, type FakeS3 } from '../../support/fake-s3.js';
import { ServiceProcess } from '../../support/process.js';
import { onServer, serverUrl } from '../../support/server-database.js';
import { Service } from '../../support/service.js';
import { until } from '../../support/until.js';

const TEXT = '# Lanterns\n\nThe lantern burns whale oil.';

const upload = (client: Client): Promise<Answer> => {
  const form = new FormData();
  form.append('file', new Blob([TEXT]), 'lanterns.md');
  return client.post('/ingest/file', form);
};

const partOf = async (client: Client, name: string): Promise<HealthDto['services'][number]> => {
  const { services } = (await client.get('/health')).json() as HealthDto;
  const part = services.find((one) => one.name === name);
  if (part === undefined) throw new Error(`no ${name} in the report`);
  return part;
};

describe('a service on an S3 store', () => {
  const ofStore = {
    STORAGE: 's3',
    S3_BUCKET: 'files',
    S3_ACCESS_KEY: 'id',
    S3_SECRET_KEY: 'secret',
    S3_TIMEOUT_MS: '1000',
  };
  let s3: FakeS3;
  let service: Service;
  let documents: Documents;
  beforeAll(async () => {
    s3 = await startFakeS3('elsewhere');
    service = await Service.start({ ...ofStore, S3_ENDPOINT: s3.url });
    documents = new Documents(() => service.client);
  });
  afterAll(async () => {
    s3.thaw();
    await service.stop();
    await s3.close();
  });

  const doctor = () =>
    ServiceProcess.spawn({ ...service.environment }, 'dist/cli/lectern.js', ['doctor']).end();

  it('starts without its bucket, names the setting, and stays ready', async () => {
    await service.printed('S3_BUCKET names a bucket that does not exist');
    expect(await partOf(service.client, 'storage')).toMatchObject({
      status: 'degraded',
      message: 'The object store rejected a request with status 404 (NoSuchBucket)',
    });
    expect((await service.as(null).get('/health/ready')).status).toBe(200);
    const answer = await upload(service.client);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5']);
  });

  it('recovers when the bucket exists', async () => {
    s3.addBucket('files');
    await until(
      'the store is healthy',
      async () => (await partOf(service.client, 'storage')).status === 'healthy',
    );
    const { system_metadata: state } = await documents.ingestFile('lanterns.md', Buffer.from(TEXT));
    expect(state.status).toBe('completed');
  });

  it('fails fast when the store hangs, goes on with posted texts, and leaves no objects behind', async () => {
    const { external_id: id } = await documents.ingestFile('frozen.md', Buffer.from(TEXT));
    const before = s3.keysOf('files');
    s3.freeze();
    const answers = await Promise.all([upload(service.client), service.client.get(`/documents/${id}/file`)]);
    expect(answers.map(({ status }) => status)).toEqual([503, 503]);
    expect(answers.map((answer) => (answer.json() as { detail: string }).detail)).toEqual(
      Array.from({ length: 2 }, () => 'The object store does not answer'),
    );
    const posted = await service.client.post('/ingest/text', { content: TEXT, filename: 'text.md' });
    expect(posted.status).toBe(200);
    // A posted text is stored in the database: its ingestion and its deletion need no file.
    const { external_id: text } = posted.json() as DocumentRecord;
    expect((await documents.settled(text)).system_metadata.status).toBe('completed');
    const requests = s3.requests.length;
    expect((await service.client.delete(`/documents/${text}`)).status).toBe(200);
    expect(s3.requests.slice(requests).filter((request) => request.includes(text))).toEqual([]);
    expect((await service.as(null).get('/health/ready')).status).toBe(200);
    const { code, output } = await doctor();
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(/^fail +object store +The object store does not answer.*S3_ENDPOINT/m),
    ]);
    s3.thaw();
    await until('an upload succeeds', async () => (await upload(service.client)).status === 200);
    await until('the other objects are removed', () => s3.keysOf('files').length === before.length + 1);
    expect(s3.keysOf('files').filter((key) => key.startsWith('doctor'))).toEqual([]);
    expect((await service.client.get(`/documents/${id}/file`)).text).toBe(TEXT);
  });

  it('names the settings for wrong keys and an unreachable address', async () => {
    s3.refuseWith(403, 'InvalidAccessKeyId');
    await until(
      'the store is degraded',
      async () => (await partOf(service.client, 'storage')).status === 'degraded',
    );
    await service.printed('check S3_ACCESS_KEY and S3_SECRET_KEY');
    s3.refuseWith(undefined);
    await until(
      'the store is healthy',
      async () => (await partOf(service.client, 'storage')).status === 'healthy',
    );
    const lost = await Service.start({ ...ofStore, S3_ENDPOINT: 'http://127.0.0.1:9' });
    try {
      await lost.printed('check S3_ENDPOINT');
    } finally {
      await lost.stop();
    }
  });

  it('has metrics of store calls', async () => {
    const { text } = await service.client.get('/metrics');
    expect(text).toMatch(
      /^lectern_object_store_call_duration_seconds_count\{operation="put",outcome="ok"\} [1-9]/m,
    );
    expect(text).toMatch(
      /^lectern_object_store_call_duration_seconds_count\{operation="get",outcome="refused"\} [1-9]/m,
    );
  });
});

onServer('two services on one server (needs DATABASE_URL)', () => {
  const processes: ServiceProcess[] = [];
  let service: Service;
  let folder: string;
  let admin: pg.Client;
  const copyName = `lectern_copy_${process.pid}_${Date.now()}`;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-e2e-'));
    admin = new pg.Client({ connectionString: serverUrl });
    await admin.connect();
  });
  afterEach(async () => {
    await Promise.all(processes.splice(0).map((process) => process.kill('SIGTERM')));
    await admin.query(`drop database if exists ${copyName} with (force)`);
    await admin.end();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const spawn = (environment: Readonly<Record<string, string>>): ServiceProcess => {
    const process = ServiceProcess.spawn({ ...service.environment, ...environment });
    processes.push(process);
    return process;
  };

  it("stay isolated when one uses a restored copy of the other's database", async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    const live = await documents.ingestFile('lanterns.md', Buffer.from(TEXT));
    const [file] = live.storage_files;
    // A dump taken during an upload contains the tombstone that the completed upload deletes.
    await service.terminate();
    const original = new URL(service.environment['DATABASE_URL'] ?? '');
    await admin.query(`create database ${copyName} template ${original.pathname.slice(1)}`);
    await service.restart();
    const restored = new URL(original);
    restored.pathname = `/${copyName}`;
    const database = new pg.Client({ connectionString: restored.href });
    await database.connect();
    await database.query(
      `insert into object_removals (app_id, key, due_at) select app_id, $1, clock_timestamp() from documents`,
      [file?.key],
    );

    const drill = spawn({ DATABASE_URL: restored.href });
    const client = new Client(await drill.url(), service.adminKey);
    await drill.printed('belongs to another database');
    const [, id = ''] = /STORAGE_TAKE_OVER=([\da-f-]+)/.exec(drill.output) ?? [];
    expect(await partOf(client, 'storage')).toMatchObject({
      status: 'degraded',
      message: expect.stringContaining('another database') as string,
    });
    expect((await client.get('/health/ready')).status).toBe(200);
    expect((await upload(client)).status).toBe(503);
    const requeued = await client.post('/ingest/requeue', { jobs: [{ external_id: live.external_id }] });
    expect(requeued.status).toBe(200);
    expect((await client.post('/retrieve/chunks', { query: 'whale oil' })).text).toContain('whale');
    const doctor = ServiceProcess.spawn(
      { ...service.environment, DATABASE_URL: restored.href },
      'dist/cli/lectern.js',
      ['doctor'],
    );
    expect((await doctor.end()).output).toMatch(
      /^fail +object store .*another database.*STORAGE_TAKE_OVER=/m,
    );
    await drill.kill('SIGTERM'); // the shutdown completes work in progress
    const left = await database.query<{ jobs: string; removals: string }>(
      `select (select count(*) from ingestion_jobs) as jobs, (select count(*) from object_removals where key = $1) as removals`,
      [file?.key],
    );
    expect(left.rows).toEqual([{ jobs: '1', removals: '1' }]);
    expect((await service.client.get(`/documents/${live.external_id}/file`)).text).toBe(TEXT);

    // With this setting the copy takes over the store and its work, and the earlier service leaves the store
    // alone.
    const heir = spawn({ DATABASE_URL: restored.href, STORAGE_TAKE_OVER: id });
    await heir.url();
    await until('the copy has removed the object', async () => {
      const { rows } = await database.query(`select from object_removals where key = $1`, [file?.key]);
      return rows.length === 0;
    });
    await database.end();
    await until(
      'the store is degraded',
      async () => (await partOf(service.client, 'storage')).status === 'degraded',
    );
    expect((await upload(service.client)).status).toBe(503);
  });

  it("do not take jobs with files in the other's folder", async () => {
    service = await Service.start({ WORKER: 'off' });
    const documents = new Documents(() => service.client);
    const worker = spawn({ WORKER: 'only', DATA_DIR: folder });
    await worker.url();
    const answer = await upload(service.client);
    expect(answer.status).toBe(200);
    await worker.printed('The files of this database are in another store');
    const { external_id: id } = answer.json() as DocumentRecord;
    expect((await documents.get(id)).system_metadata.status).toBe('processing');
    spawn({ WORKER: 'only' });
    expect((await documents.settled(id)).system_metadata.status).toBe('completed');
  });
});
