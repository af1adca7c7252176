import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DataSource } from 'typeorm';
import { run } from '../../database/run.js';
import { documents, jobs, oldestJob } from '../../telemetry/metrics.js';
import { Cached } from '../../request/cached.js';

/**
 * How long job counts are cached, in milliseconds. Several scrapers, or a scraper with a short interval, then cause
 * only one query.
 */
const JOBS_TTL_MS = 5_000;

const DOCUMENTS_TTL_MS = 60_000;

/** Documents are counted exactly up to this number. Beyond this number, the planner's estimate is used. */
const COUNTED_ROWS = 200_000;

/** Timeout of the queries in milliseconds. It is below the default scrape timeout of Prometheus (10 s). */
const TIMEOUT_MS = 5_000;

/** Counts jobs and documents of all tenants together, because no metric may identify a tenant. */
@Injectable()
export class InstallationCounts {
  private readonly jobsCount = new Cached(JOBS_TTL_MS, () => this.countJobs());
  private readonly documentsCount = new Cached(DOCUMENTS_TTL_MS, () => this.countDocuments());

  constructor(private readonly dataSource: DataSource) {}

  /** Updates the gauges whose cached values have expired. @throws Error if the database does not answer in time */
  async refresh(): Promise<void> {
    await inTime(Promise.all([this.jobsCount.get(), this.documentsCount.get()]));
  }

  /** Clears earlier counts. */
  forget(): void {
    this.jobsCount.forget();
    this.documentsCount.forget();
    jobs.reset();
    oldestJob.remove();
    documents.reset();
  }

  private async countJobs(): Promise<void> {
    const rows = await run<{ state: string; count: number; due: number | null }>(
      this.dataSource,
      sql`select state, count(*)::integer as count,
            extract(epoch from clock_timestamp() - min(run_at))::float8 as due
          from ingestion_jobs group by state`,
    );
    for (const state of ['queued', 'running', 'dead']) {
      jobs.set({ state }, rows.find((row) => row.state === state)?.count ?? 0);
    }
    const due = rows.find((row) => row.state === 'queued')?.due ?? 0;
    oldestJob.set(Math.max(0, due));
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
