import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { recentTexts } from '../../chunks/chunk.repository.js';
import { VectorIndex } from '../../chunks/vector-index.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { isDistributed, missingNodes } from '../../database/cluster/cluster.js';
import { SESSION_SETTINGS } from '../../database/data-source.js';
import { databaseFailure, diskFull, RETRY_SECONDS } from '../../database/failures.js';
import { run } from '../../database/run.js';
import { Embedder } from '../../embedding/embedder.js';
import { languageWarning } from '../../embedding/unsupported-language.js';
import { Unavailable } from '../../errors/index.js';
import { Cached } from '../../request/cached.js';
import { StoreOwnership } from '../../storage/store-ownership.js';
import type { Finding, Health, HealthDto, ServiceHealthDto } from './health.dto.js';
import { LlmHealth } from './llm-health.js';

/** Without one of these a search reads a whole table. */
const SEARCH_INDEXES = [
  'documents_metadata',
  'documents_metadata_hashes',
  'documents_sample',
  'metadata_order_number',
  'metadata_order_text',
  'documents_pkey',
  'chunks_terms',
  'chunks_pkey',
  'term_stats_pkey',
];

/** How long an embedder's answer counts: /health is open to everybody and must not run up a provider's bill. */
const EMBEDDER_TTL_MS = 30_000;

const LANGUAGES_TTL_MS = 10_000;

const DISTRIBUTED_TTL_MS = 30_000;

/** What PostgreSQL writes next is part of a file of this size; with less room it may be the last. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;

/** How long a part of the database may be silent: who asks for health decides by it whether to send requests here. */
const DATABASE_TIMEOUT_MS = 2_500;

/** Looks at the parts that the service needs. */
@Injectable()
export class HealthService {
  private readonly logger = new Logger('Health');
  /** Those that a silent database leaves open must not use up the pool. */
  private readonly databaseAnswers = new Cached(0, () => this.askDatabase());
  private readonly embedderAnswers = new Cached(EMBEDDER_TTL_MS, () => this.askEmbedder());
  /** Reads and tokenizes a sample of what is stored, which does not change by the second. */
  private readonly languageAnswers = new Cached(LANGUAGES_TTL_MS, () => this.languages());

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly embedder: Embedder,
    private readonly llm: LlmHealth,
    private readonly storage: StoreOwnership,
  ) {}

  /** Asked of a database that answers; a moment later it may not. */
  private readonly distributed = new Cached(DISTRIBUTED_TTL_MS, () =>
    isDistributed(this.dataSource).catch(() => false),
  );

  /** @param isForOperator asked when the database answers: what the documents are like is not for everybody */
  async report(isForOperator: () => Promise<boolean>): Promise<HealthDto> {
    const services = await Promise.all([
      this.look('database', 'unhealthy', () => this.database()),
      this.look('pgvector', 'unhealthy', () => this.inDatabase(() => this.vectorExtension())),
      this.look('indexes', 'degraded', () => this.inDatabase(() => this.indexes())),
      this.look('settings', 'degraded', () => this.inDatabase(() => this.sessionSettings())),
      this.look('embedder', 'degraded', () => this.embedderAnswers.get()),
      this.look('llm', 'degraded', () => this.llm.find()),
      this.look('storage', 'degraded', () => this.store()),
      this.look('queue', 'degraded', () => this.inDatabase(() => this.queue())),
    ]);
    const database = services.find(({ name }) => name === 'database');
    if (database?.status === 'healthy' && (await isForOperator())) {
      const look = (): Promise<Finding> => this.inDatabase(() => this.languageAnswers.get());
      services.push(await this.look('languages', 'degraded', look));
    }
    if (database?.status === 'healthy' && (await this.distributed.get())) {
      services.push(await this.look('nodes', 'degraded', () => this.inDatabase(() => this.nodes())));
    }
    return { status: worst(services), services, timestamp: new Date().toISOString() };
  }

  /** What a part failed with is for the log: the report is open to everybody. */
  private async look(
    name: string,
    whenFailing: Health,
    find: () => Promise<Finding>,
  ): Promise<ServiceHealthDto> {
    const start = performance.now();
    const { status, message } = await find().catch((error: unknown): Finding => {
      this.logger.warn({ err: error, part: name }, 'a part does not answer');
      return { status: whenFailing, message: error instanceof Unavailable ? error.message : 'no answer' };
    });
    return { name, status, message, response_time_ms: Math.round((performance.now() - start) * 10) / 10 };
  }

  /** @throws whatever keeps the database from answering; Unavailable when it is silent. */
  database(): Promise<Finding> {
    return inTime(this.databaseAnswers.get());
  }

  /** Asks further when the database answers at all. */
  private async inDatabase(find: () => Promise<Finding>): Promise<Finding> {
    await this.database();
    return inTime(find());
  }

  private async askDatabase(): Promise<Finding> {
    await this.requireRoom();
    const [row] = await run<{ version: string }>(
      this.dataSource,
      sql`select current_setting('server_version') as version`,
    );
    return { status: 'healthy', message: `PostgreSQL ${row?.version ?? 'of unknown version'}` };
  }

  /**
   * The embedded database answers on a full disk, and can store nothing.
   * @throws Unavailable
   */
  private async requireRoom(): Promise<void> {
    if (this.settings.DATABASE_URL !== undefined) return;
    const { bavail, bsize } = await statfs(resolve(this.settings.DATA_DIR));
    if (bavail * bsize < WAL_SEGMENT_BYTES) throw diskFull();
  }

  private async vectorExtension(): Promise<Finding> {
    const [row] = await run<{ extversion: string }>(
      this.dataSource,
      sql`select extversion from pg_extension where extname = 'vector'`,
    );
    if (row === undefined) return { status: 'unhealthy', message: 'the extension is not installed' };
    return { status: 'healthy', message: `pgvector ${row.extversion}` };
  }

  private async indexes(): Promise<Finding> {
    const broken = await run<{ name: string }>(
      this.dataSource,
      sql`select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
          where not i.indisvalid or not i.indisready order by 1`,
    );
    if (broken.length > 0) {
      return { status: 'degraded', message: `not usable: ${broken.map(({ name }) => name).join(', ')}` };
    }
    const { name: vectorIndex } = VectorIndex.of(this.dataSource, this.embedder.dimensions);
    const wanted = [vectorIndex, ...SEARCH_INDEXES];
    const missing = await run<{ name: string }>(
      this.dataSource,
      sql`select name from unnest(${wanted}::text[]) as w(name) where to_regclass(name) is null`,
    );
    if (missing.length === 0) return { status: 'healthy', message: 'all present and valid' };
    return { status: 'degraded', message: `missing: ${missing.map(({ name }) => name).join(', ')}` };
  }

  /** Another setting is slower or finds less; a pooler between the service and the server may drop them. */
  private async sessionSettings(): Promise<Finding> {
    const names = Object.keys(SESSION_SETTINGS);
    const rows = await run<{ name: string; value: string | null }>(
      this.dataSource,
      sql`select name, current_setting(name, true) as value from unnest(${names}::text[]) as w(name)`,
    );
    const wanted: Readonly<Record<string, string>> = SESSION_SETTINGS;
    const other = rows.filter(({ name, value }) => value !== wanted[name]);
    if (other.length === 0) return { status: 'healthy', message: 'in force' };
    const differences = other.map(
      ({ name, value }) => `${name} is ${value ?? 'unset'}, not ${wanted[name] ?? ''}`,
    );
    return { status: 'degraded', message: differences.join('; ') };
  }

  /** Its own deadline is that of the store. */
  private async store(): Promise<Finding> {
    await this.database(); // which says whose store it is
    const access = await this.storage.access();
    switch (access.kind) {
      case 'own':
        return { status: 'healthy', message: 'the store of this database' };
      case 'read-only':
        return { status: 'healthy', message: 'read only' };
      case 'foreign':
        return { status: 'degraded', message: access.reason };
    }
  }

  private async askEmbedder(): Promise<Finding> {
    // Not a query: those may come from the cache.
    await this.embedder.embedDocuments(['health']);
    return { status: 'healthy', message: `${this.embedder.model}, ${this.embedder.dimensions} dimensions` };
  }

  private async languages(): Promise<Finding> {
    const advice = languageWarning(await recentTexts(this.dataSource), this.embedder);
    return advice === null
      ? { status: 'healthy', message: 'the embedding model reads what was taken in last' }
      : { status: 'degraded', message: advice };
  }

  /** The addresses are for the log: the report is open to everybody. */
  private async nodes(): Promise<Finding> {
    const missing = await missingNodes(this.dataSource);
    if (missing.length === 0) return { status: 'healthy', message: 'all nodes answer' };
    const addresses = missing.map(({ address }) => address);
    this.logger.warn({ addresses }, 'nodes of the cluster do not answer');
    const names = missing.map(({ id }) => `node ${id}`).join(', ');
    return { status: 'degraded', message: `no answer from ${names}: 503 for the tenants there` };
  }

  private async queue(): Promise<Finding> {
    const rows = await run<{ state: string; jobs: string }>(
      this.dataSource,
      sql`select state, count(*) as jobs from ingestion_jobs group by state`,
    );
    const jobs = new Map(rows.map((row) => [row.state, Number(row.jobs)]));
    const [queued, running, dead] = ['queued', 'running', 'dead'].map((state) => jobs.get(state) ?? 0);
    return {
      status: 'healthy',
      message: `${queued ?? 0} queued, ${running ?? 0} running, ${dead ?? 0} failed`,
    };
  }
}

/** @throws Unavailable when there is no finding in time, or no connection. */
async function inTime(finding: Promise<Finding>): Promise<Finding> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Unavailable('The database does not answer', RETRY_SECONDS));
    }, DATABASE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([finding, silent]);
  } catch (error) {
    throw databaseFailure(error) ?? error;
  } finally {
    clearTimeout(timer);
  }
}

function worst(services: readonly ServiceHealthDto[]): Health {
  const statuses = services.map(({ status }) => status);
  return (['unhealthy', 'degraded'] as const).find((status) => statuses.includes(status)) ?? 'healthy';
}
