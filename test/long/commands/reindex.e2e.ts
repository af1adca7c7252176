import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HealthDto } from '../../../src/operations/health/health.dto.js';
import type { Answer } from '../../support/client.js';
import { Documents, type Chunk } from '../../support/documents.js';
import { ServiceProcess, type Ended } from '../../support/process.js';
import { serverUrl } from '../../support/server-database.js';
import { Service } from '../../support/service.js';
import { pause } from '../../support/until.js';

describe('lectern reindex', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lectern-reindex-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const reindex = (environment: Readonly<Record<string, string>> = {}): Promise<Ended> =>
    ServiceProcess.spawn({ DATA_DIR: folder, ...environment }, 'dist/cli/lectern.js', ['reindex']).end();

  it('exits with 1 and one sentence if another process locks the folder', async () => {
    const service = ServiceProcess.spawn({ DATA_DIR: folder, PORT: '0' });
    await service.url();
    const { code, output } = await reindex();
    expect([code, output.split('\n')]).toEqual([1, [expect.stringContaining(folder)]]);
    await service.kill('SIGTERM');
  });

  it('exits with 1 and one sentence if the database does not respond', async () => {
    const { code, output } = await reindex({
      DATABASE_URL: 'postgres://me:s3cret@127.0.0.1:9/lectern',
      JWT_SECRET: randomBytes(48).toString('base64'),
    });
    expect([code, output]).toEqual([
      1,
      'DATABASE_URL: cannot use the database at 127.0.0.1:9/lectern (connect ECONNREFUSED 127.0.0.1:9): start it and let it admit this user, or set DATABASE_URL to another one',
    ]);
  });
});

const GOODS = 'Товары могут оставаться в порту тридцать дней без оплаты.';
const LIGHTHOUSE = 'The keeper of the lighthouse is relieved every second Sunday.';
const BARREL_TEXTS = Array.from(
  { length: 30 },
  (_, at) => `Barrel ${at} of the harbour holds ${at + 3} litres of oil.`,
);

describe('lectern reindex from one bundled model to the other', () => {
  let service: Service;
  /** Id of the last document. */
  let barrel: string;
  beforeAll(async () => {
    service = await Service.start();
    const documents = new Documents(() => service.client);
    for (const text of [GOODS, LIGHTHOUSE, ...BARREL_TEXTS]) {
      barrel = (await documents.ingestText(text)).external_id;
    }
  });
  afterAll(() => service.stop());

  const search = (query: string): Promise<Answer> => service.client.post('/retrieve/chunks', { query, k: 1 });

  const first = async (query: string): Promise<string | undefined> => {
    const answer = await search(query);
    if (answer.status !== 200) throw new Error(answer.text);
    return (answer.json() as Chunk[])[0]?.content;
  };

  /** The service still uses the old model: it must neither search nor write the new vectors. */
  const expectRefusals = async (model: string): Promise<void> => {
    await pause(1_000, 'the service reads the model of the stored vectors once a second');
    const refused = { detail: expect.stringContaining('restart it with EMBEDDING_MODEL for') as unknown };
    const searched = await search('Who relieves the keeper?');
    expect([model, searched.status, searched.json()]).toEqual([model, 503, refused]);
    const updated = await service.client.post(`/documents/${barrel}/update_text`, { content: 'More oil.' });
    expect([model, updated.status, updated.json()]).toEqual([model, 503, refused]);
    const health = (await service.as(null).get('/health')).json() as HealthDto;
    expect(health.services.find(({ name }) => name === 'indexes')).toMatchObject({
      status: 'degraded',
      message: refused.detail,
    });
  };

  /** A server continues to respond meanwhile; the embedded database allows one process only. */
  const moveTo = async (model: string): Promise<void> => {
    if (serverUrl === undefined) await service.terminate();
    const command = ServiceProcess.spawn(
      { ...service.environment, EMBEDDING_MODEL: model },
      'dist/cli/lectern.js',
      ['reindex'],
    ).end();
    let ended: Ended | undefined;
    const waiting = command.then((end) => (ended = end));
    let answers = 0;
    while (serverUrl !== undefined && ended === undefined) {
      const answer = await search('Who relieves the keeper?');
      if (answer.status === 503) break; // the vectors have been replaced
      expect((answer.json() as Chunk[])[0]?.content).toBe(LIGHTHOUSE);
      answers += 1;
    }
    expect((await waiting).output).toContain('32 chunks');
    expect(ended?.code).toBe(0);
    if (serverUrl !== undefined) {
      expect(answers).toBeGreaterThan(0);
      await expectRefusals(model);
      await service.terminate();
    }
    await service.restart({ EMBEDDING_MODEL: model });
  };

  it('keeps retrieval available, and then uses the vocabulary of the new model', async () => {
    await moveTo('local-multilingual');
    expect(await first('How long may goods stay in the port?')).toBe(GOODS);
    expect(await first('Who relieves the keeper?')).toBe(LIGHTHOUSE);
    await moveTo('local');
    expect(await first('Who relieves the keeper?')).toBe(LIGHTHOUSE);
    expect(await first('товары в порту')).toBe(GOODS);
  });
});
