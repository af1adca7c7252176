import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow, DocumentStatus } from '../../corpus/document-row.js';
import type { Queryable } from '../../database/run.js';
import type { JobPayload } from '../../ingestion/job.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { progressAt } from '../../ingestion/progress.js';

export const REQUEUE_STATUSES = ['requeued', 'already_queued', 'not_found', 'error'] as const;
export type RequeueStatus = (typeof REQUEUE_STATUSES)[number];

export interface RequeueResult {
  readonly external_id: string;
  readonly status: RequeueStatus;
  readonly message: string;
}

interface NamedDocument {
  readonly external_id: string;
  /** null: as it was. */
  readonly use_colpali: boolean | null;
}

interface StatusSelection {
  readonly statuses: readonly DocumentStatus[];
  readonly limit: number;
}

const MESSAGES: Readonly<Record<RequeueStatus, string>> = {
  requeued: 'The document is ingested again',
  already_queued: 'The document has a job that is queued or running',
  not_found: 'Document not found',
  error:
    'The text of the document did not come from one stored source: there is nothing to ingest it from again',
};

/** Puts documents back into the queue of the workers, from the sources that they were made of. */
@Injectable()
export class RequeueService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly jobs: JobQueue,
  ) {}

  /** Each document once, the named ones first. */
  async requeue(
    scope: Scope,
    named: readonly NamedDocument[],
    selection: StatusSelection | null,
  ): Promise<RequeueResult[]> {
    const selected =
      selection === null ? [] : await this.documents.idsByStatus(scope, selection.statuses, selection.limit);
    const all = [...named, ...selected.map((id) => ({ external_id: id, use_colpali: null }))];
    const results = new Map<string, RequeueResult>();
    for (const { external_id: id, use_colpali } of all) {
      const key = id.toLowerCase();
      if (results.has(key)) continue;
      const status = isUuid(id) ? await this.one(scope, id, use_colpali) : 'not_found';
      results.set(key, { external_id: id, status, message: MESSAGES[status] });
    }
    this.jobs.notify();
    return [...results.values()];
  }

  private async one(scope: Scope, id: string, useColpali: boolean | null): Promise<RequeueStatus> {
    return this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, id);
      if (row === null) return 'not_found';
      if (await this.jobs.hasPending(manager, scope, id)) return 'already_queued';
      if (!(await this.enqueue(manager, scope, row, useColpali))) return 'error';
      await this.documents.queue(manager, scope, id, progressAt('queued', 0), useColpali);
      return 'requeued';
    });
  }

  /** What failed is tried again with what it had staged; what is complete is made again from its source. */
  private async enqueue(
    manager: Queryable,
    scope: Scope,
    row: DocumentRow,
    useColpali: boolean | null,
  ): Promise<boolean> {
    if (await this.jobs.requeueDeadLetters(manager, scope, row.external_id, useColpali)) return true;
    if (row.ingested_from === null) return false;
    const payload = row.ingested_from as JobPayload;
    const stored = row.storage_files.find(({ key }) => key === payload.source.key);
    await this.jobs.enqueue(manager, scope, row.external_id, payload, stored?.size ?? 0);
    return true;
  }
}
