import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import type { JobPayload, UpdateStrategy } from '../../ingestion/job.js';
import { JobRepository } from '../../ingestion/job.repository.js';
import { progressAt } from '../../ingestion/progress.js';
import type { Rule } from '../../ingestion/rules/rule.js';
import { RuleRunner } from '../../ingestion/rules/rule-runner.js';
import { WakeUp } from '../../ingestion/wake-up.js';
import { typedMetadataOf } from '../document-metadata.js';
import { documentNotFound } from '../document.service.js';
import { SourceStore } from '../files/source-store.js';
import { requireVersion } from './update-text.service.js';
import type { UploadedFile } from '../files/upload-reader.js';

export interface FileUpdateOptions {
  readonly strategy: UpdateStrategy;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
  /** null: as the document was ingested. */
  readonly useColpali: boolean | null;
  readonly rules: readonly Rule[];
}

/**
 * Takes a new file for a document. A worker reads it; until its version is swapped in the present one answers, and stays
 * when the file cannot be read.
 */
@Injectable()
export class UpdateFileService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly jobs: JobRepository,
    private readonly sources: SourceStore,
    private readonly rules: RuleRunner,
    private readonly wakeUp: WakeUp,
  ) {}

  /**
   * @param file stored already, for this document; the caller discards it when this fails.
   * @throws NotFound when the document has gone, Conflict while its first version is being made, Invalid for metadata that
   *   does not fit its type and for rules that cannot run.
   */
  async updateFile(scope: Scope, file: UploadedFile, options: FileUpdateOptions): Promise<DocumentRow> {
    this.rules.requireRunnable(options.rules, ['body', 'rules']);
    const { documentId } = file;
    const queued = await this.dataSource.transaction(async (manager) => {
      const row = await this.documents.lock(manager, scope, documentId);
      if (row === null) throw documentNotFound();
      requireVersion(row);
      const payload = payloadOf(row, file, options);
      await this.sources.keep(manager, scope, file);
      await this.jobs.enqueue(manager, scope, documentId, payload);
      return this.documents.queue(manager, scope, documentId, progressAt('queued', 0));
    });
    this.wakeUp.ring();
    return queued;
  }
}

function payloadOf(row: DocumentRow, file: UploadedFile, options: FileUpdateOptions): JobPayload {
  const { bucket, key, filename, declaredType } = file;
  const { strategy, useColpali, rules } = options;
  return {
    source: { kind: 'file', key, filename, declaredType },
    update: {
      strategy,
      ...typedMetadataOf(row, options),
      useColpali: useColpali ?? row.use_colpali,
      file: { bucket, key, filename, content_type: declaredType, timestamp: new Date().toISOString() },
    },
    ...(rules.length === 0 ? {} : { rules }),
  };
}
