import { statfs } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { VectorIndex } from '../../chunks/vectors/vector-column.js';
import { EmbeddingSpace } from '../../chunks/vectors/vector-space.js';
import { SETTINGS, type Settings } from '../../config/settings.js';
import { isDistributed, missingNodes } from '../../database/cluster/cluster.js';
import { SESSION_SETTINGS } from '../../database/data-source.js';
import { databaseFailure, diskFull, noFreeConnection, RETRY_SECONDS } from '../../database/failures.js';
import { poolOf, requireFreeConnection, requireFreeDisk } from '../../database/server-limits.js';
import { run } from '../../database/run.js';
import { Embedder } from '../../models/embedding/embedder.js';
import { languageWarning } from '../../models/embedding/unsupported-language.js';
import { missingCase, Unavailable } from '../../errors/index.js';
import { PageEmbedder } from '../../models/multivector/page-embedder.js';
import { Cached } from '../../request/cached.js';
import { runInContext } from '../../request/request-context.js';
import { StoreOwnership } from '../../storage/store-ownership.js';
import type { Finding, Health, HealthDto, ServiceHealthDto } from './health.dto.js';
import { RESTORE_REMEDY, tenantsBeingRestored } from '../../auth/unfinished-restores.js';
import { LlmHealth } from './llm-health.js';
import { recentTexts } from './recent-texts.js';

/** Indexes without which a search scans a whole table. */
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

/**
 * How long checks of embedding models are cached, in milliseconds. They are cached because /health is public and must
 * not cause costs at a provider.
 */
const EMBEDDER_TTL_MS = 30_000;
const EMBEDDER_FAILURE_TTL_MS = 5_000;

/**
 * Timeout of a check of an embedding model in milliseconds. A call that embeds documents may take minutes, but a health
 * report must not.
 */
const EMBEDDER_TIMEOUT_MS = 10_000;

const LANGUAGES_TTL_MS = 10_000;

const DISTRIBUTED_TTL_MS = 30_000;

/** Size of a WAL segment in bytes. If less space is free, the next write to the embedded database may fail. */
const WAL_SEGMENT_BYTES = 16 * 1024 * 1024;

const LIMITS_TTL_MS = 1_000;
const DISK_FAILURE_TTL_MS = 5_000;

/** Timeout of database checks in milliseconds. It is short because load balancers need a quick response. */
const DATABASE_TIMEOUT_MS = 2_500;

@Injectable()
export class HealthService {
  private readonly logger = new Logger('Health');
  /**
   * Check of the database. Callers share a check that is running. Otherwise checks that wait for an unresponsive
   * database would use up the connection pool.
   */
  private readonly databaseAnswers = new Cached(0, () => this.askDatabase());
  private readonly embedderAnswers = embedderCheck(() => this.askEmbedder());
  /** null if no page embedding server is configured. */
  private readonly pageEmbedderAnswers: Cached<Finding> | null;
  /** Checks of what a server may run out of. They are cached because /health is public, and each costs the server. */
  private readonly freeConnections = new Cached(LIMITS_TTL_MS, () => requireFreeConnection(this.dataSource));
  private readonly freeDisk = new Cached(
    LIMITS_TTL_MS,
    () => requireFreeDisk(this.dataSource),
    DISK_FAILURE_TTL_MS,
  );
  /** Check of the languages. It is cached longer, because it reads and tokenizes the beginnings of documents. */
  private readonly languageAnswers = new Cached(LANGUAGES_TTL_MS, () => this.languages());

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly embedder: Embedder,
    private readonly space: EmbeddingSpace,
    @Inject(PageEmbedder) pageEmbedder: PageEmbedder | null,
    private readonly llm: LlmHealth,
    private readonly storage: StoreOwnership,
  ) {
    this.pageEmbedderAnswers = pageEmbedder && embedderCheck(() => askPageEmbedder(pageEmbedder));
  }

  /** Whether the database is distributed. This is queried only if the database answers. */
  private readonly distributed = new Cached(DISTRIBUTED_TTL_MS, () =>
    isDistributed(this.dataSource).catch(() => false),
  );

  /**
   * Checks all dependencies.
   *
   * @param isForOperator tells whether the caller is an operator. Only operators get the report about documents. The
   * function is called only if the database answers
   */
  async report(isForOperator: () => Promise<boolean>): Promise<HealthDto> {
    const { pageEmbedderAnswers: pages } = this;
    const services = await Promise.all([
      this.look('database', 'unhealthy', () => this.database()),
      this.look('pgvector', 'unhealthy', () => this.inDatabase(() => this.vectorExtension())),
      this.look('indexes', 'degraded', () => this.inDatabase(() => this.indexes())),
      this.look('settings', 'degraded', () => this.inDatabase(() => this.sessionSettings())),
      this.look('embedder', 'degraded', () => this.embedderAnswers.get()),
      ...(pages === null ? [] : [this.look('page_embedder', 'degraded', () => pages.get())]),
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
    if (database?.status === 'healthy') {
      const restores = await this.look('restores', 'degraded', () => this.inDatabase(() => this.restores()));
      if (restores.status !== 'healthy') services.push(restores);
    }
    return { status: worst(services), services, timestamp: new Date().toISOString() };
  }

  /** Runs a check. Logs an error of the check instead of reporting it, because the report is public. */
  private async look(
    name: string,
    whenFailing: Health,
    find: () => Promise<Finding>,
  ): Promise<ServiceHealthDto> {
    const start = performance.now();
    const { status, message } = await find().catch((error: unknown): Finding => {
      this.logger.warn({ err: error, part: name }, 'a health check failed');
      return { status: whenFailing, message: error instanceof Unavailable ? error.message : 'no response' };
    });
    return { name, status, message, response_time_ms: Math.round((performance.now() - start) * 10) / 10 };
  }

  /** Checks the database. @throws the database error; Unavailable on a timeout. */
  database(): Promise<Finding> {
    return this.inTime(this.databaseAnswers.get());
  }

  /** Runs a check that needs the database, if the database answers. */
  private async inDatabase(find: () => Promise<Finding>): Promise<Finding> {
    await this.database();
    return this.inTime(find());
  }

  /** Awaits a check of the database. @throws Unavailable on a timeout, or without a connection. */
  private async inTime(finding: Promise<Finding>): Promise<Finding> {
    let timer: NodeJS.Timeout | undefined;
    const silent = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const isWaiting = poolOf(this.dataSource).waitingCount > 0;
        reject(
          isWaiting ? noFreeConnection() : new Unavailable('The database does not answer', RETRY_SECONDS),
        );
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

  private async askDatabase(): Promise<Finding> {
    await this.requireRoom();
    await this.freeConnections.get();
    const [row] = await run<{ version: string }>(
      this.dataSource,
      sql`select current_setting('server_version') as version`,
    );
    return { status: 'healthy', message: `PostgreSQL ${row?.version ?? 'of unknown version'}` };
  }

  /** Checks the free space, because on a full disk a database answers but cannot write. @throws Unavailable */
  private async requireRoom(): Promise<void> {
    if (this.settings.DATABASE_URL !== undefined) return this.freeDisk.get();
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

  /** @throws Unavailable if the stored vectors belong to another model. */
  private async indexes(): Promise<Finding> {
    await this.space.requireOwn();
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

  /**
   * Checks that the session settings are in effect, because a connection pooler may drop them. With other settings,
   * searches are slower or return fewer results.
   */
  private async sessionSettings(): Promise<Finding> {
    const names = Object.keys(SESSION_SETTINGS);
    const rows = await run<{ name: string; value: string | null }>(
      this.dataSource,
      sql`select name, current_setting(name, true) as value from unnest(${names}::text[]) as w(name)`,
    );
    const wanted: Readonly<Record<string, string>> = SESSION_SETTINGS;
    const other = rows.filter(({ name, value }) => value !== wanted[name]);
    if (other.length === 0) return { status: 'healthy', message: 'in effect' };
    const differences = other.map(
      ({ name, value }) => `${name} is ${value ?? 'unset'}, not ${wanted[name] ?? ''}`,
    );
    return { status: 'degraded', message: differences.join('; ') };
  }

  /** Checks the object store, which has a deadline of its own. */
  private async store(): Promise<Finding> {
    await this.database(); // the database records which store belongs to it
    const access = await this.storage.access();
    switch (access.kind) {
      case 'own':
        return { status: 'healthy', message: 'belongs to this database' };
      case 'read-only':
        return { status: 'healthy', message: 'read only' };
      case 'foreign':
        return { status: 'degraded', message: access.reason };
      default:
        return missingCase(access);
    }
  }

  private async askEmbedder(): Promise<Finding> {
    // Embeds a document, because the vector of a query may come from a cache.
    await this.embedder.embedDocuments(['health']);
    return { status: 'healthy', message: `${this.embedder.model}, ${this.embedder.dimensions} dimensions` };
  }

  private async languages(): Promise<Finding> {
    const advice = await languageWarning(await recentTexts(this.dataSource), this.embedder);
    return advice === null
      ? { status: 'healthy', message: 'recent documents are within the vocabulary of the embedding model' }
      : { status: 'degraded', message: advice };
  }

  /** Checks the nodes of a cluster. Their addresses are logged instead of reported, because the report is public. */
  private async nodes(): Promise<Finding> {
    const missing = await missingNodes(this.dataSource);
    if (missing.length === 0) return { status: 'healthy', message: 'all nodes respond' };
    const addresses = missing.map(({ address }) => address);
    this.logger.warn({ addresses }, 'cluster nodes do not respond');
    const names = missing.map(({ id }) => `node ${id}`).join(', ');
    return { status: 'degraded', message: `no response from ${names}: their tenants get 503` };
  }

  /** Checks for restores that were interrupted. The tenants are not named, because the report is public. */
  private async restores(): Promise<Finding> {
    const { size } = await tenantsBeingRestored(this.dataSource);
    return size === 0
      ? { status: 'healthy', message: 'all finished' }
      : { status: 'degraded', message: `${size} unfinished: ${RESTORE_REMEDY}` };
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

async function askPageEmbedder(embedder: PageEmbedder): Promise<Finding> {
  const { dims } = await embedder.embedQuery('health');
  return { status: 'healthy', message: `${embedder.model}, ${dims} dimensions` };
}

/** Caches a check, and aborts it after {@link EMBEDDER_TIMEOUT_MS}. */
function embedderCheck(ask: () => Promise<Finding>): Cached<Finding> {
  const inTime = (): Promise<Finding> => runInContext(AbortSignal.timeout(EMBEDDER_TIMEOUT_MS), ask);
  return new Cached(EMBEDDER_TTL_MS, inTime, EMBEDDER_FAILURE_TTL_MS);
}

function worst(services: readonly ServiceHealthDto[]): Health {
  const statuses = services.map(({ status }) => status);
  return (['unhealthy', 'degraded'] as const).find((status) => statuses.includes(status)) ?? 'healthy';
}
