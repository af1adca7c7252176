import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { IngestionJob } from './job.js';
import { JobRepository } from './job.repository.js';
import { TextChanged } from './job-completion.js';
import { LeaseLost } from './lease.js';
import { progressAt } from './progress.js';
import { isFinal, isTransient, MAX_ATTEMPTS, retryDelay } from './retry-policy.js';
import { workerScope } from './worker-scope.js';

const INTERNAL =
  'An internal error stopped the ingestion; the log has the details. Requeue the document to try again.';

/** Decides what becomes of a job after a failure: a later try, or the end with a reason for people. */
@Injectable()
export class FailureSettlement {
  private readonly logger = new Logger(FailureSettlement.name);

  constructor(
    private readonly dataSource: DataSource,
    private readonly jobs: JobRepository,
    private readonly documents: DocumentRepository,
  ) {}

  async settle(job: IngestionJob, workerId: string, error: unknown): Promise<void> {
    if (error instanceof LeaseLost) {
      this.logger.debug({ document: job.documentId }, error.message);
      return;
    }
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof TextChanged) {
      await this.jobs.retry({ ...job, attempts: job.attempts - 1 }, workerId, 0, reason);
      return;
    }
    if (!isFinal(error) && job.attempts < MAX_ATTEMPTS) {
      const delay = retryDelay(error, job.attempts);
      this.logger.warn(
        { err: error, document: job.documentId, delay },
        'ingestion step failed; trying again',
      );
      await this.jobs.retry(job, workerId, delay, reason);
      return;
    }
    this.logger.warn({ err: error, document: job.documentId }, 'document failed');
    await this.fail(job, workerId, reason, isFinal(error) || isTransient(error) ? reason : INTERNAL);
  }

  private async fail(job: IngestionJob, workerId: string, reason: string, told: string): Promise<void> {
    const scope = workerScope(job.appId);
    await this.dataSource.transaction(async (manager) => {
      if ((await this.documents.lock(manager, scope, job.documentId)) === null) return;
      if (!(await this.jobs.bury(manager, job, workerId, reason))) return;
      const next = await this.jobs.hasLive(manager, scope, job.documentId);
      await this.documents.fail(manager, scope, job.documentId, told, next ? progressAt('queued', 0) : null);
    });
  }
}
