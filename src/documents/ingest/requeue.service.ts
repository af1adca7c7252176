import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { validate as isUuid } from 'uuid';
import { type Scope, shardOf } from '../../auth/scope.js';
import { DocumentListRepository } from '../../corpus/document-list.repository.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import { DOCUMENT_STATUSES, type DocumentRow, type DocumentStatus } from '../../corpus/document-row.js';
import type { Queryable } from '../../database/run.js';
import { Forbidden, Invalid } from '../../errors/index.js';
import { CrossField } from '../../http/input/input.pipe.js';
import { Examples } from '../../http/input/examples.js';
import {
  ChoiceListField,
  FlagField,
  IntegerField,
  NestedListField,
  TextField,
} from '../../http/input/fields.js';
import type { JobPayload, Source } from '../../ingestion/job.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { progressAt } from '../../ingestion/progress.js';
import { MAX_DOCUMENTS } from '../document-removal.js';

const REQUEUE_STATUSES = ['requeued', 'already_queued', 'not_found', 'forbidden', 'error'] as const;
type RequeueStatus = (typeof REQUEUE_STATUSES)[number];

const ID = '8f14e45f-ceea-467f-9a0c-1c1e3b1f2d4a';

export class RequeueJob {
  @TextField({ required: true, description: 'Id of the document.', example: ID })
  external_id: string;

  @FlagField({
    nullable: true,
    description: 'Whether to embed pages as images too. null: unchanged.',
    example: null,
  })
  use_colpali: boolean | null = null;
}

@Examples({
  'All failed documents': { include_all: true, statuses: ['failed'], limit: 100 },
  'One document': { jobs: [{ external_id: 'an id from POST /documents' }] },
})
@CrossField<RequeueRequest>(['jobs', 'include_all'], ({ jobs, include_all }) => {
  if ((jobs ?? []).length > 0 || include_all === true) return;
  throw Invalid.at([], 'Value error, set jobs, or set include_all to true');
})
export class RequeueRequest {
  @NestedListField({
    nullable: true,
    type: () => RequeueJob,
    description: `Documents to ingest again, at most ${MAX_DOCUMENTS}.`,
    maxSize: MAX_DOCUMENTS,
  })
  jobs: RequeueJob[] | null = null;

  @FlagField({
    nullable: true,
    description: 'Whether to requeue all documents with one of the statuses.',
    example: false,
  })
  include_all: boolean | null = null;

  @ChoiceListField({
    nullable: true,
    description: 'Statuses for include_all. Default: processing and failed.',
    example: ['failed'],
    values: DOCUMENT_STATUSES,
  })
  statuses: DocumentStatus[] | null = null;

  @IntegerField({
    nullable: true,
    positive: true,
    max: MAX_DOCUMENTS,
    description: `Maximum number of documents for include_all, least recently changed first. Default: ${MAX_DOCUMENTS}.`,
    example: 100,
  })
  limit: number | null = null;

  /** Requeues documents with these statuses; null if the request only names documents. */
  get selection(): { readonly statuses: readonly DocumentStatus[]; readonly limit: number } | null {
    if (this.include_all !== true) return null;
    const { statuses } = this;
    const isGiven = statuses !== null && statuses.length > 0;
    return { statuses: isGiven ? statuses : ['processing', 'failed'], limit: this.limit ?? MAX_DOCUMENTS };
  }
}

export class RequeueResultDto {
  @ApiProperty({ description: 'Requested id.', example: ID })
  external_id: string;

  @ApiProperty({ type: 'string', enum: REQUEUE_STATUSES, description: 'Outcome.', example: 'requeued' })
  status: RequeueStatus;

  @ApiProperty({ description: 'Description of the outcome.', example: 'The document is ingested again' })
  message: string;
}

export class RequeueResponseDto {
  @ApiProperty({ type: [RequeueResultDto], description: 'One result per document.' })
  results: RequeueResultDto[];
}

type Outcome = Pick<RequeueResultDto, 'status' | 'message'>;

const MESSAGES: Readonly<Record<Exclude<RequeueStatus, 'forbidden'>, string>> = {
  requeued: 'The document is ingested again',
  already_queued: 'The document has a job that is queued or running',
  not_found: 'Document not found',
  error: 'The text of the document was changed by updates, so it cannot be rebuilt from a source',
};

/** Requeues documents for ingestion from their stored sources. */
@Injectable()
export class RequeueService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly listed: DocumentListRepository,
    private readonly jobs: JobQueue,
  ) {}

  /** Requeues each document once: first the documents that the request names, then those of the selection. */
  async requeue(scope: Scope, { jobs, selection }: RequeueRequest): Promise<RequeueResultDto[]> {
    const selected =
      selection === null
        ? []
        : await this.listed.changeableByStatus(scope, selection.statuses, selection.limit);
    const all = [...(jobs ?? []), ...selected.map((id) => ({ external_id: id, use_colpali: null }))];
    const results = new Map<string, RequeueResultDto>();
    for (const { external_id: id, use_colpali } of all) {
      const key = id.toLowerCase();
      if (results.has(key)) continue;
      results.set(key, { external_id: id, ...(await this.one(scope, id, use_colpali)) });
    }
    this.jobs.notify();
    return [...results.values()];
  }

  private async one(tenant: Scope, id: string, useColpali: boolean | null): Promise<Outcome> {
    try {
      const status = isUuid(id) ? await this.queueAgain(shardOf(tenant, id), id, useColpali) : 'not_found';
      return { status, message: MESSAGES[status] };
    } catch (error) {
      if (error instanceof Forbidden) return { status: 'forbidden', message: error.message };
      throw error;
    }
  }

  private queueAgain(scope: Scope, id: string, useColpali: boolean | null): Promise<keyof typeof MESSAGES> {
    return this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, id);
      if (row === null) return 'not_found';
      if ((await this.jobs.pending(manager, scope, [id])).has(row.external_id)) return 'already_queued';
      if (!(await this.enqueue(manager, scope, row, useColpali))) return 'error';
      await this.documents.queue(manager, scope, id, progressAt('queued', 0), useColpali);
      return 'requeued';
    });
  }

  /** Resumes a failed document from its staged batches. Rebuilds a completed document from its source. */
  private async enqueue(
    manager: Queryable,
    scope: Scope,
    row: DocumentRow,
    useColpali: boolean | null,
  ): Promise<boolean> {
    if (await this.jobs.requeueDeadLetters(manager, scope, row.external_id, useColpali)) return true;
    if (row.ingested_from === null) return false;
    const payload = row.ingested_from as JobPayload;
    await this.jobs.enqueue(manager, scope, row.external_id, payload, sizeOf(payload.source, row));
    return true;
  }
}

/** Returns the size of the source in bytes. For a text, returns the length in UTF-16 units as an approximation. */
function sizeOf(source: Source, row: DocumentRow): number {
  if (source.kind === 'posted' || source.kind === 'chunks') return row.text_length;
  return row.storage_files.find(({ key }) => key === source.key)?.size ?? 0;
}
