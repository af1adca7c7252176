import { Injectable, Logger } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { tenantOf } from '../../auth/scope.js';
import { run } from '../../database/run.js';
import { databaseBytes, documents, jobs, oldestJob, storeBytes } from '../../telemetry/metrics.js';
import {
  forgetTenants,
  NAMED_TENANTS,
  nameTenants,
  tenantJobs,
  tenantLabel,
  tenantLabels,
  tenantOldestJob,
  tenantPassages,
} from '../../telemetry/tenants.js';
import { Cached } from '../../request/cached.js';

/**
 * How long job counts are cached, in milliseconds. Several scrapers, or a scraper with a short interval, then cause
 * only one query.
 */
const JOBS_TTL_MS = 5_000;

const DOCUMENTS_TTL_MS = 60_000;

/** How long the size of the store is cached, in milliseconds. Its query reads the row of every document. */
const STORE_TTL_MS = 600_000;

/** Documents are counted exactly up to this number. Beyond this number, the planner's estimate is used. */
const COUNTED_ROWS = 200_000;

/** Timeout of the queries in milliseconds. It is below the default scrape timeout of Prometheus (10 s). */
const TIMEOUT_MS = 5_000;

const STATES = ['queued', 'running', 'dead'] as const;

interface JobsRow {
  readonly app_id: string;
  readonly state: (typeof STATES)[number];
  readonly count: number;
  /** Seconds since the first of them became due; negative if it is due later. */
  readonly due: number;
}

/** Counts what belongs to the whole installation, and to each of its largest tenants. */
@Injectable()
export class InstallationCounts {
  private readonly logger = new Logger('Metrics');
  private readonly jobsCount = new Cached(JOBS_TTL_MS, () => this.countJobs());
  private readonly documentsCount = new Cached(DOCUMENTS_TTL_MS, () => this.countDocuments());
  private readonly tenantsCount = new Cached(DOCUMENTS_TTL_MS, () => this.countTenants());
  private readonly databaseSize = new Cached(DOCUMENTS_TTL_MS, () => this.measureDatabase());
  private readonly storeSize = new Cached(STORE_TTL_MS, () => this.measureStore(), DOCUMENTS_TTL_MS);

  constructor(private readonly dataSource: DataSource) {}

  /** Updates the gauges whose cached values have expired. @throws Error if the database does not answer in time */
  async refresh(): Promise<void> {
    const work = async (): Promise<void> => {
      await this.tenantsCount.get(); // decides which tenants the next counts name
      await Promise.all([this.jobsCount.get(), this.documentsCount.get(), this.databaseSize.get()]);
    };
    // Reads too much for the deadline of a scrape; a later scrape has the value.
    this.storeSize.get().catch((error: unknown) => {
      storeBytes.remove();
      this.logger.warn({ err: error }, 'cannot count the bytes of the store');
    });
    await inTime(work());
  }

  /** Clears earlier counts. */
  forget(): void {
    for (const count of [this.jobsCount, this.documentsCount, this.tenantsCount, this.databaseSize]) {
      count.forget();
    }
    jobs.reset();
    oldestJob.remove();
    documents.reset();
    databaseBytes.remove();
    forgetTenants();
  }

  private async countJobs(): Promise<void> {
    const rows = await run<JobsRow>(
      this.dataSource,
      sql`select app_id, state, count(*)::integer as count,
            extract(epoch from clock_timestamp() - min(run_at))::float8 as due
          from ingestion_jobs group by app_id, state`,
    );
    for (const state of STATES) jobs.set({ state }, countOf(rows, state));
    oldestJob.set(oldestOf(rows));
    for (const tenant of tenantLabels()) {
      const own = rows.filter(({ app_id }) => tenantLabel(tenantOf(app_id)) === tenant);
      for (const state of STATES) tenantJobs.set({ tenant, state }, countOf(own, state));
      tenantOldestJob.set({ tenant }, oldestOf(own));
    }
  }

  /** The statistics of the words have one row for each tenant, so that no table is scanned. */
  private async countTenants(): Promise<void> {
    const rows = await run<{ tenant: string; passages: number }>(
      this.dataSource,
      sql`select split_part(app_id, chr(31), 1) as tenant, sum(chunk_count)::float8 as passages
          from corpus_stats group by 1 order by 2 desc, 1`,
    );
    await nameTenants(rows.slice(0, NAMED_TENANTS).map(({ tenant }) => tenant));
    forgetTenants(); // a tenant that is no longer named must not keep its last value
    this.jobsCount.forget();
    for (const label of tenantLabels()) tenantPassages.set({ tenant: label }, 0);
    for (const { tenant, passages } of rows) tenantPassages.inc({ tenant: tenantLabel(tenant) }, passages);
  }

  private async measureDatabase(): Promise<void> {
    const [row] = await run<{ bytes: number }>(
      this.dataSource,
      sql`select pg_database_size(current_database())::float8 as bytes`,
    );
    databaseBytes.set(row?.bytes ?? 0);
  }

  /** Files of documents, and files that no document has. */
  private async measureStore(): Promise<void> {
    const [row] = await run<{ bytes: number }>(
      this.dataSource,
      sql`select (coalesce((
              select sum((select sum((f ->> 'size')::float8) from jsonb_array_elements(d.storage_files) f))
              from documents d
              where not exists (select a.document_id from file_attachments a
                where a.app_id = d.app_id and a.document_id = d.external_id)), 0)
            + coalesce((select sum(bytes) from files), 0))::float8 as bytes`,
    );
    storeBytes.set(row?.bytes ?? 0);
  }

  private async countDocuments(): Promise<void> {
    // Uses the partial index of documents that are not completed.
    const rows = await run<{ status: string; count: number }>(
      this.dataSource,
      sql`select status, count(*)::integer as count from documents where status <> 'completed' group by status`,
    );
    const countOf = (state: string): number => rows.find(({ status }) => status === state)?.count ?? 0;
    const [processing, failed] = [countOf('processing'), countOf('failed')];
    const total = await this.totalOfDocuments();
    documents.set({ state: 'processing' }, processing);
    documents.set({ state: 'failed' }, failed);
    documents.set({ state: 'completed' }, Math.max(0, total - processing - failed));
  }

  private async totalOfDocuments(): Promise<number> {
    // Uses the planner's estimate, which accounts for the current size of the table.
    const [row] = await run<{ 'QUERY PLAN': readonly { readonly Plan: { readonly 'Plan Rows': number } }[] }>(
      this.dataSource,
      sql`explain (format json) select from documents`,
    );
    const estimate = Number(row?.['QUERY PLAN'][0]?.Plan['Plan Rows']);
    if (estimate > COUNTED_ROWS) return estimate;
    const [counted] = await run<{ count: number }>(
      this.dataSource,
      sql`select count(*)::integer as count from documents`,
    );
    return counted?.count ?? 0;
  }
}

function countOf(rows: readonly JobsRow[], state: JobsRow['state']): number {
  return rows.filter((row) => row.state === state).reduce((total, { count }) => total + count, 0);
}

function oldestOf(rows: readonly JobsRow[]): number {
  return Math.max(0, ...rows.filter(({ state }) => state === 'queued').map(({ due }) => due));
}

async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`The database did not answer within ${TIMEOUT_MS} ms`));
    }, TIMEOUT_MS);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
