import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { FolderRepository } from '../../corpus/folder.repository.js';
import { typeMetadata, type TypedMetadata } from '../../filters/metadata-types.js';
import type { Source } from '../../ingestion/job.js';
import { JobRepository } from '../../ingestion/job.repository.js';
import { progressAt } from '../../ingestion/progress.js';
import type { Rule } from '../../ingestion/rules/rule.js';
import { RuleRunner } from '../../ingestion/rules/rule-runner.js';
import { WakeUp } from '../../ingestion/wake-up.js';
import { newDocumentId } from '../document-id.js';
import { SourceStore, type StoredSource } from '../files/source-store.js';
import type { UploadedFile } from '../files/upload-reader.js';

/** What comes with every new document. */
export interface IngestOptions {
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
  /** Normalised folder path. */
  readonly folder: string | null;
  readonly endUserId: string | null;
  readonly useColpali: boolean;
  readonly rules: readonly Rule[];
}

/** Takes documents in: the source is stored, the row and its job are written in one transaction, a worker goes on. */
@Injectable()
export class IngestService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly folders: FolderRepository,
    private readonly jobs: JobRepository,
    private readonly sources: SourceStore,
    private readonly wakeUp: WakeUp,
    private readonly rules: RuleRunner,
  ) {}

  /** @throws Invalid when a metadata value does not fit its declared type, or a rule cannot run. */
  async ingestText(scope: Scope, content: string, options: IngestOptions): Promise<DocumentRow> {
    const typed = this.check(options);
    const documentId = newDocumentId();
    const filename = options.filename ?? `document_${documentId}.txt`;
    const stored = await this.sources.put(scope, documentId, Buffer.from(content), 'text/plain');
    try {
      const source: Source = { kind: 'text', key: stored.key };
      return await this.create(scope, stored, source, 'text/plain', { ...options, ...typed, filename });
    } catch (error) {
      await this.sources.discard(scope, stored);
      throw error;
    }
  }

  /**
   * @param file stored already; the caller discards it when this fails.
   * @throws Invalid when a metadata value does not fit its declared type, or a rule cannot run.
   */
  async ingestFile(scope: Scope, file: UploadedFile, options: IngestOptions): Promise<DocumentRow> {
    const typed = this.check(options);
    const { key, declaredType } = file;
    const filename = options.filename ?? file.filename;
    const source: Source = { kind: 'file', key, filename, declaredType };
    return this.create(scope, file, source, declaredType, {
      ...options,
      ...typed,
      filename,
    });
  }

  /**
   * Whether documents with these options can be taken.
   * @throws Invalid when a metadata value does not fit its declared type, or a rule cannot run.
   */
  check(options: IngestOptions): TypedMetadata {
    this.rules.requireRunnable(options.rules, ['body', 'rules']);
    return typeMetadata({
      metadata: options.metadata,
      declared: options.metadataTypes,
      loc: ['body', 'metadata'],
      typesLoc: ['body', 'metadata_types'],
    });
  }

  private async create(
    scope: Scope,
    stored: StoredSource,
    source: Source,
    contentType: string,
    options: IngestOptions & TypedMetadata,
  ): Promise<DocumentRow> {
    const { documentId, bucket, key } = stored;
    const { filename, metadata, metadataTypes, endUserId, useColpali } = options;
    const row = await this.dataSource.transaction(async (manager) => {
      const inserted = await this.documents.insert(manager, scope, {
        externalId: documentId,
        contentType,
        filename,
        metadata,
        metadataTypes,
        storageFiles: [
          {
            bucket,
            key,
            version: 1,
            filename,
            content_type: contentType,
            timestamp: new Date().toISOString(),
          },
        ],
        folder: options.folder === null ? null : await this.folders.ensure(manager, scope, options.folder),
        endUserId,
        useColpali,
        progress: progressAt('queued', 0),
      });
      await this.sources.keep(manager, scope, stored);
      await this.jobs.enqueue(manager, scope, documentId, {
        source,
        update: null,
        ...(options.rules.length === 0 ? {} : { rules: options.rules }),
      });
      return inserted;
    });
    this.wakeUp.ring();
    return row;
  }
}
