import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Scope } from '../auth/scope.js';
import { DocumentRepository } from '../corpus/document.repository.js';
import type { DocumentRow } from '../corpus/document-row.js';
import { FolderRepository } from '../corpus/folder.repository.js';
import { typeMetadata } from '../filters/metadata-types.js';
import type { JobPayload } from '../ingestion/job.js';
import { JobRepository } from '../ingestion/job.repository.js';
import { progressAt } from '../ingestion/progress.js';
import { WakeUp } from '../ingestion/wake-up.js';
import { ObjectStore } from '../storage/object-store.js';
import { documentPrefix, sourceKey } from './object-keys.js';

/** What comes with every new document. */
export interface IngestOptions {
  readonly filename: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly metadataTypes: Readonly<Record<string, unknown>> | null;
  /** Normalised folder path. */
  readonly folder: string | null;
  readonly endUserId: string | null;
  readonly useColpali: boolean;
}

/** Takes documents in: the source is stored, the row and its job are written in one transaction, a worker goes on. */
@Injectable()
export class IngestService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly folders: FolderRepository,
    private readonly jobs: JobRepository,
    private readonly objects: ObjectStore,
    private readonly wakeUp: WakeUp,
  ) {}

  /** @throws Invalid when a metadata value does not fit its declared type. */
  async ingestText(scope: Scope, content: string, options: IngestOptions): Promise<DocumentRow> {
    const documentId = randomUUID();
    const filename = options.filename ?? `document_${documentId}.txt`;
    return this.ingest(
      scope,
      documentId,
      Buffer.from(content),
      'text/plain',
      { ...options, filename },
      (key) => ({
        source: { kind: 'text', key },
      }),
    );
  }

  /** @param declaredType the client's word, kept with the file and never trusted. */
  async ingestFile(
    scope: Scope,
    bytes: Buffer,
    declaredType: string,
    options: IngestOptions,
  ): Promise<DocumentRow> {
    return this.ingest(scope, randomUUID(), bytes, declaredType, options, (key) => ({
      source: { kind: 'file', key, filename: options.filename, declaredType },
    }));
  }

  private async ingest(
    scope: Scope,
    documentId: string,
    bytes: Buffer,
    contentType: string,
    options: IngestOptions,
    payloadOf: (key: string) => JobPayload,
  ): Promise<DocumentRow> {
    const { metadata, metadataTypes } = typeMetadata({
      metadata: options.metadata,
      declared: options.metadataTypes ?? {},
      loc: ['body', 'metadata'],
      typesLoc: ['body', 'metadata_types'],
    });
    const stored = await this.objects.put(sourceKey(scope.appId, documentId, 1), bytes, contentType);
    try {
      const row = await this.dataSource.transaction(async (manager) => {
        const folder =
          options.folder === null ? null : await this.folders.ensure(manager, scope, options.folder);
        const inserted = await this.documents.insert(manager, scope, {
          externalId: documentId,
          contentType,
          filename: options.filename,
          metadata,
          metadataTypes,
          storageFiles: [
            {
              bucket: stored.bucket,
              key: stored.key,
              version: 1,
              filename: options.filename,
              content_type: contentType,
              timestamp: new Date().toISOString(),
            },
          ],
          folder,
          endUserId: options.endUserId,
          useColpali: options.useColpali,
          progress: progressAt('queued', 0),
        });
        await this.jobs.enqueue(manager, scope.appId, documentId, payloadOf(stored.key));
        return inserted;
      });
      this.wakeUp.ring();
      return row;
    } catch (error) {
      await this.objects.deletePrefix(documentPrefix(scope.appId, documentId));
      throw error;
    }
  }
}
