import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { FolderRepository } from '../../corpus/folder.repository.js';
import { Invalid, LecternError } from '../../errors/index.js';
import { typeMetadata, type TypedMetadata } from '../../metadata/typed-metadata.js';
import type { Source } from '../../ingestion/job.js';
import { IngestionService } from '../../ingestion/ingestion.service.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { progressAt } from '../../ingestion/progress.js';
import { newDocumentId } from '../document-id.js';
import { recordOf, type DocumentRecord } from '../document-record.js';
import { SourceStore, type StoredSource } from '../files/source-store.js';
import { UploadReader, type UploadedFile } from '../files/upload-reader.js';
import { IngestFilesFields, optionsOfFiles } from './ingest-files.dto.js';
import { IngestFields, ingestOptionsOf, type IngestOptions } from './ingest.dto.js';

/** What became of several files. */
export interface IngestedFiles {
  readonly documents: readonly DocumentRecord[];
  readonly errors: readonly { readonly filename: string; readonly error: string }[];
}

/** Takes documents in: the source is stored, the row and its job are written in one transaction, a worker goes on. */
@Injectable()
export class IngestService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly folders: FolderRepository,
    private readonly jobs: JobQueue,
    private readonly uploads: UploadReader,
    private readonly sources: SourceStore,
    private readonly ingestion: IngestionService,
  ) {}

  /** @throws Invalid when a metadata value does not fit its declared type, or a rule cannot run. */
  async ingestText(scope: Scope, content: string, options: IngestOptions): Promise<DocumentRow> {
    const typed = this.check(options);
    const documentId = newDocumentId();
    const filename = options.filename ?? `document_${documentId}.txt`;
    const stored = await this.sources.put(scope, documentId, Buffer.from(content), 'text/plain');
    try {
      const source: Source = { kind: 'text', key: stored.key };
      const contentType = 'text/plain';
      return await this.create(scope, stored, source, { ...options, ...typed, filename, contentType });
    } catch (error) {
      await this.sources.discard(scope, stored);
      throw error;
    }
  }

  /**
   * @param request a form with the file and the members of {@link IngestFields}
   * @throws Invalid when a metadata value does not fit its declared type, or a rule cannot run.
   */
  ingestFile(scope: Scope, request: FastifyRequest): Promise<DocumentRow> {
    const form = { fileField: 'file', fields: IngestFields };
    return this.uploads.read(request, scope, form, (upload) =>
      this.createFrom(scope, this.uploads.theFile(upload), ingestOptionsOf(upload.fields)),
    );
  }

  /**
   * Takes several files in, each on its own: one that is refused does not stop the others.
   * @param request a form with the files and the members of {@link IngestFilesFields}
   * @throws Invalid for what concerns all files.
   */
  ingestFiles(scope: Scope, request: FastifyRequest): Promise<IngestedFiles> {
    const form = { fileField: 'files', fields: IngestFilesFields };
    return this.uploads.read(request, scope, form, async ({ files, fields }) => {
      const options = optionsOfFiles(fields, files.length);
      // Metadata that is for all files is as wrong for one as for the others.
      const [shared] = Array.isArray(fields.metadata) ? [] : options;
      if (shared !== undefined) this.check(shared);
      const documents: DocumentRecord[] = [];
      const errors: { filename: string; error: string }[] = [];
      for (const [index, file] of files.entries()) {
        const own = options[index];
        if (own === undefined) throw new Error('a file has no options');
        try {
          this.uploads.requireSound(file, ['body', 'filename']);
          documents.push(recordOf(await this.createFrom(scope, file, own)));
        } catch (error) {
          await this.sources.discard(scope, file);
          if (!(error instanceof LecternError) || error.status >= 500) throw error;
          errors.push({ filename: file.filename ?? '', error: sentenceOf(error) });
        }
      }
      return { documents, errors };
    });
  }

  /** @throws Invalid when a metadata value does not fit its declared type, or a rule cannot run. */
  private check(options: IngestOptions): TypedMetadata {
    this.ingestion.requireRunnable(options.rules, ['body', 'rules']);
    return typeMetadata({
      metadata: options.metadata,
      declared: options.metadataTypes,
      loc: ['body', 'metadata'],
      typesLoc: ['body', 'metadata_types'],
    });
  }

  /** @param file stored already; the caller discards it when this fails. */
  private createFrom(scope: Scope, file: UploadedFile, options: IngestOptions): Promise<DocumentRow> {
    const { key, declaredType } = file;
    const filename = options.filename ?? file.filename;
    const source: Source = { kind: 'file', key, filename, declaredType };
    const typed = this.check(options);
    return this.create(scope, file, source, { ...options, ...typed, filename, contentType: declaredType });
  }

  private async create(
    scope: Scope,
    stored: StoredSource,
    source: Source,
    options: IngestOptions & TypedMetadata & { readonly contentType: string },
  ): Promise<DocumentRow> {
    const { documentId, bucket, key, size } = stored;
    const { contentType, filename, metadata, metadataTypes, endUserId, useColpali } = options;
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
            size,
          },
        ],
        folder: options.folder === null ? null : await this.folders.ensure(manager, scope, options.folder),
        endUserId,
        useColpali,
        progress: progressAt('queued', 0),
      });
      await this.sources.keep(manager, scope, stored);
      const payload = {
        source,
        update: null,
        ...(options.rules.length === 0 ? {} : { rules: options.rules }),
      };
      await this.jobs.enqueue(manager, scope, documentId, payload, size);
      return inserted;
    });
    this.jobs.notify();
    return row;
  }
}

function sentenceOf(error: LecternError): string {
  if (!(error instanceof Invalid)) return error.message;
  return error.items.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
}
