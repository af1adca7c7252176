import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { configuredModel } from '../../../test/support/configured-model.js';
import { openTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { Embedder } from '../../models/embedding/embedder.js';
import type { Unreadable } from '../../models/embedding/readability.js';
import type { PageEmbedder } from '../../models/multivector/page-embedder.js';
import { currentSignal } from '../../request/request-context.js';
import { settingsWith } from '../../../test/support/settings.js';
import { LocalObjectStore } from '../../storage/local/local-object-store.js';
import type { ObjectStore } from '../../storage/object-store.js';
import { S3ObjectStore } from '../../storage/s3/s3-object-store.js';
import { StoreOwnership } from '../../storage/store-ownership.js';
import { EmbeddingSpace } from '../../chunks/vectors/vector-space.js';
import { HealthService } from './health.service.js';
import { LlmHealth } from './llm-health.js';

class CountingEmbedder extends Embedder {
  readonly cosineFloor = -1;
  readonly model = 'test/model';
  readonly dimensions = 2;
  calls = 0;

  constructor(private readonly works: boolean) {
    super();
  }

  async embedDocuments(texts: readonly string[]): Promise<Float32Array[]> {
    this.calls++;
    await Promise.resolve();
    if (!this.works) throw new Error('secret address');
    return texts.map(() => new Float32Array([1, 0]));
  }

  unreadable(): Promise<Unreadable> {
    return Promise.resolve({ share: 0, identifiers: [] });
  }

  embedQuery(): Promise<Float32Array> {
    throw new Error('queries may come from a cache and prove nothing');
  }
}

/** A call that ends only when the signal of its context aborts. */
async function untilAborted(): Promise<never> {
  const signal = currentSignal();
  if (signal === undefined) throw new Error('a check without a deadline');
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

/** The request is not from an operator. */
const nobody = (): Promise<boolean> => Promise.resolve(false);

const emptyStore = new LocalObjectStore(join(tmpdir(), 'lectern-no-such-folder'));

const healthOf = (
  dataSource: DataSource,
  embedder: Embedder,
  store: ObjectStore = emptyStore,
  pageEmbedder: PageEmbedder | null = null,
): HealthService =>
  new HealthService(
    settingsWith({ DATA_DIR: tmpdir() }),
    dataSource,
    embedder,
    new EmbeddingSpace(dataSource, embedder),
    pageEmbedder,
    new LlmHealth(configuredModel()),
    new StoreOwnership(settingsWith({ STORAGE_READ_ONLY: 'true' }), dataSource, store),
  );

describe('the health report', () => {
  const logged = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
  beforeEach(() => logged.mockClear());
  let database: TestDatabase;
  beforeAll(async () => {
    database = await openTestDatabase();
  }, 60_000);
  afterAll(() => database.close());

  const statuses = async (service: HealthService) => {
    const { status, services } = await service.report(nobody);
    return { status, ...Object.fromEntries(services.map((one) => [one.name, one.status])) };
  };

  it('is healthy if every component responds', async () => {
    expect(await statuses(healthOf(database.dataSource, new CountingEmbedder(true)))).toMatchObject({
      database: 'healthy',
      pgvector: 'healthy',
      embedder: 'healthy',
      llm: 'healthy',
      storage: 'healthy',
      queue: 'healthy',
    });
  });

  it('is degraded, without address and key, if the object store fails', async () => {
    const settings = { S3_ENDPOINT: 'http://127.0.0.1:9', S3_BUCKET: 'b', S3_SECRET_KEY: 'secret' };
    const store = new S3ObjectStore({
      ...settingsWith(),
      ...settings,
      S3_ACCESS_KEY: 'id',
      S3_TIMEOUT_MS: 5_000,
    });
    const report = await healthOf(database.dataSource, new CountingEmbedder(true), store).report(nobody);
    expect(report.status).toBe('degraded');
    expect(report.services.find(({ name }) => name === 'storage')).toMatchObject({
      status: 'degraded',
      message: 'The object store cannot be reached',
    });
    expect(JSON.stringify(report)).not.toMatch(/secret|127\.0\.0\.1/);
    store.onApplicationShutdown();
  });

  it('is degraded, without details, if the embedder fails', async () => {
    const report = await healthOf(database.dataSource, new CountingEmbedder(false)).report(nobody);
    expect(logged.mock.calls).toEqual([
      [{ err: new Error('secret address'), part: 'embedder' }, 'a health check failed'],
    ]);
    expect(report.status).toBe('degraded');
    expect(report.services.find(({ name }) => name === 'embedder')).toMatchObject({
      status: 'degraded',
      message: 'no response',
    });
    expect(JSON.stringify(report)).not.toContain('secret');
  });

  it('does not wait for a hanging embedder, and names it', async () => {
    const hanging = Object.assign(new CountingEmbedder(true), {
      embedDocuments: () => untilAborted(),
    });
    const pages = { model: 'pages', embedQuery: () => untilAborted() } as unknown as PageEmbedder;
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort(new Error('late')));
    try {
      expect(await statuses(healthOf(database.dataSource, hanging, emptyStore, pages))).toMatchObject({
        status: 'degraded',
        embedder: 'degraded',
        page_embedder: 'degraded',
      });
    } finally {
      timeout.mockRestore();
    }
  });

  it('is unhealthy without the database', async () => {
    const lost = new DataSource({ type: 'postgres' });
    expect(await statuses(healthOf(lost, new CountingEmbedder(true)))).toMatchObject({
      status: 'unhealthy',
      database: 'unhealthy',
      embedder: 'healthy',
    });
  });

  it('does not wait for a hanging database, and queries it once at a time', async () => {
    let asked = 0;
    const silent = Object.assign(new DataSource({ type: 'postgres' }), {
      driver: { master: { totalCount: 1, waitingCount: 0, options: { max: 1, session: {} } } },
      query: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    });
    const service = healthOf(silent, new CountingEmbedder(true));
    const [report] = await Promise.all([service.report(nobody), service.report(nobody)]);
    expect(report.services.find(({ name }) => name === 'database')).toMatchObject({
      status: 'unhealthy',
      message: 'The database does not answer',
    });
    await expect(service.database()).rejects.toMatchObject({ status: 503 });
    expect(asked).toBe(1);
  });

  it('does not call the embedder for every report', async () => {
    const embedder = new CountingEmbedder(true);
    const service = healthOf(database.dataSource, embedder);
    await Promise.all([service.report(nobody), service.report(nobody)]);
    await service.report(nobody);
    expect(embedder.calls).toBe(1);
  });
});
