import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import type { ChunkSizes } from '#reader';
import { changedLists } from '../../access/access-lists.js';
import { placedLists } from '../../access/placed-lists.js';
import { actingEndUser } from '../../access/principal.js';
import { touches } from '../../access/touches.js';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import type { DocumentRow } from '../../corpus/document-row.js';
import { DocumentTextRepository } from '../../corpus/document-text.repository.js';
import { FolderRepository, type OwnedFolder } from '../../corpus/folder.repository.js';
import type { Queryable } from '../../database/run.js';
import { Invalid, LecternError } from '../../errors/index.js';
import { typeMetadata, type TypedMetadata } from '../../metadata/typed-metadata.js';
import type { Source } from '../../ingestion/job.js';
import { IngestionService } from '../../ingestion/ingestion.service.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { progressAt } from '../../ingestion/progress.js';
import { withDeclaredTypes } from '../../ingestion/rules/rule.js';
import { recordOf } from '../document-record.js';
import { newDocumentId, SourceStore, storedFileOf, type StoredSource } from '../files/source-store.js';
import { UsableFiles } from '../files/usable-files.js';
import { UploadReader, type UploadedFile } from '../files/upload-reader.js';
import {
  fieldsOfFiles,
  IngestFields,
  IngestFilesFields,
  type IngestedFilesDto,
  type IngestTextRequest,
} from './ingest.dto.js';
import { alreadyStored, DuplicateFound, Duplicates, sumOfText } from './duplicates.js';
import { withinToken } from './token-ingest.js';
import { UpdateFileService } from '../update/update-file.service.js';
import { UpdateTextService } from '../update/update-text.service.js';
import { RateLimit } from '../../http/rate-limit.js';
import { Quotas } from '../../quotas/quotas.service.js';

/** Source of a new document, with typed metadata. */
interface NewSource extends TypedMetadata {
  readonly documentId: string;
  /** A posted text, or a source in the object store. */
  readonly content: string | { readonly stored: StoredSource; readonly source: Source };
  readonly filename: string | null;
  readonly contentType: string;
}

/** A document made from stored bytes that other documents may share. */
export interface StoredDocument extends TypedMetadata {
  readonly documentId: string;
  readonly stored: Omit<StoredSource, 'documentId'>;
  readonly filename: string;
  readonly declaredType: string;
  /** The folder, which the transaction must have locked. */
  readonly folder: OwnedFolder;
  /** Chunk sizes; undefined for the configured sizes. */
  readonly chunks: ChunkSizes | undefined;
}

/**
 * Creates documents. Stores the file, then writes the row and its job in one transaction. A worker runs the job later.
 * A text without rules is stored only in the database.
 */
@Injectable()
export class IngestService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTextRepository,
    private readonly folders: FolderRepository,
    private readonly jobs: JobQueue,
    private readonly uploads: UploadReader,
    private readonly sources: SourceStore,
    private readonly usable: UsableFiles,
    private readonly ingestion: IngestionService,
    private readonly quotas: Quotas,
    private readonly limit: RateLimit,
    private readonly duplicates: Duplicates,
    private readonly fileUpdates: UpdateFileService,
    private readonly textUpdates: UpdateTextService,
  ) {}

  /**
   * @throws Invalid when a metadata value does not match its declared type, or a rule cannot run; Conflict for a
   * duplicate, if the request asks for this.
   */
  async ingestText(scope: Scope, given: IngestTextRequest): Promise<DocumentRow> {
    const body = withinToken(scope, given);
    return this.unlessStored(
      scope,
      body,
      () => this.createText(scope, body),
      ({ external_id: id }) => {
        const { content, filename, metadata, metadata_types: metadataTypes, use_colpali: useColpali } = body;
        const rules = withDeclaredTypes(body.rules ?? [], metadataTypes);
        const update = { content, filename, metadata: metadata ?? {}, metadataTypes, useColpali, rules };
        return this.textUpdates.updateText(scope, id, { strategy: 'replace', ...update });
      },
    );
  }

  private async createText(scope: Scope, body: IngestTextRequest): Promise<DocumentRow> {
    const typed = await this.check(body);
    const documentId = newDocumentId();
    const filename = body.filename ?? `document_${documentId}.txt`;
    const known = { ...typed, documentId, filename, contentType: 'text/plain' };
    const { content, rules } = body;
    if (rules === null || rules.length === 0) return this.create(scope, body, { ...known, content });
    const stored = await this.sources.put(scope, documentId, Buffer.from(content), 'text/plain');
    try {
      const source: Source = { kind: 'text', key: stored.key };
      return await this.create(scope, body, { ...known, content: { stored, source } });
    } catch (error) {
      await this.sources.discard(scope, stored);
      throw error;
    }
  }

  /**
   * @param request a form with the file and the fields of {@link IngestFields}
   * @throws Invalid when a metadata value does not match its declared type, or a rule cannot run; the errors of
   * {@link UsableFiles.require}.
   */
  ingestFile(scope: Scope, request: FastifyRequest): Promise<DocumentRow> {
    const form = { fileField: 'file', fields: IngestFields };
    return this.uploads.read(request, scope, form, (upload) =>
      this.createFrom(upload.scope, this.uploads.theFile(upload), withinToken(upload.scope, upload.fields)),
    );
  }

  /**
   * Ingests several files independently: a rejected file does not affect the others.
   *
   * @param request a form with the files and the fields of {@link IngestFilesFields}
   * @throws Invalid for errors that concern all files.
   */
  ingestFiles(scope: Scope, request: FastifyRequest): Promise<IngestedFilesDto> {
    const form = { fileField: 'files', fields: IngestFilesFields };
    return this.uploads.read(request, scope, form, async ({ files, fields, scope: acting }) => {
      await this.limit.countBundle(scope, files.length);
      const all = fieldsOfFiles(fields, files.length).map((own) => withinToken(acting, own));
      // Invalid metadata that all files share is an error of the request.
      const [shared] = Array.isArray(fields.metadata) ? [] : all;
      if (shared !== undefined) await this.check(shared);
      const answer: IngestedFilesDto = { documents: [], errors: [] };
      for (const [index, file] of files.entries()) {
        const own = all[index];
        if (own === undefined) throw new Error('a file has no options');
        try {
          this.uploads.requireValid(file, ['body', 'filename']);
          answer.documents.push(recordOf(acting, await this.createFrom(acting, file, own)));
        } catch (error) {
          await this.sources.discard(scope, file);
          if (!(error instanceof LecternError) || error.status >= 500) throw error;
          answer.errors.push({ filename: file.filename ?? '', error: sentenceOf(error) });
        }
      }
      return answer;
    });
  }

  /** Ingests a file that the service has in memory. */
  async ingestBytes(
    scope: Scope,
    file: { readonly filename: string; readonly contentType: string; readonly content: Uint8Array },
  ): Promise<DocumentRow> {
    const { filename, contentType, content } = file;
    const stored = await this.sources.put(scope, newDocumentId(), content, contentType);
    try {
      const uploaded = { ...stored, filename, declaredType: contentType, truncated: false };
      return await this.createFrom(scope, uploaded, new IngestFields());
    } catch (error) {
      await this.sources.discard(scope, stored);
      throw error;
    }
  }

  /**
   * Inserts a document and its job in the transaction of `manager`. Call `JobQueue.notify` after the commit. The
   * document belongs to the end user of the key. The document does not own the bytes, which remain when it is deleted.
   */
  async insertStored(manager: Queryable, scope: Scope, document: StoredDocument): Promise<DocumentRow> {
    const { documentId, stored, filename, declaredType, folder, chunks, metadata, metadataTypes } = document;
    await this.folders.copyFor(manager, scope, folder, documentId);
    const row = await this.documents.insert(manager, scope, {
      externalId: documentId,
      contentType: declaredType,
      filename,
      metadata,
      metadataTypes,
      storageFiles: [{ ...storedFileOf({ ...stored, documentId }, filename, declaredType), version: 1 }],
      sourceSum: stored.sha256,
      folder,
      endUserId: scope.endUserId,
      access: placedLists(scope, folder, null),
      useColpali: false,
      progress: progressAt('queued', 0),
    });
    await this.quotas.take(manager, scope, 'documents', 1);
    const source: Source = { kind: 'file', key: stored.key, filename, declaredType };
    await this.jobs.enqueue(
      manager,
      scope,
      documentId,
      { source, update: null, ...(chunks && { chunks }) },
      stored.size,
    );
    return row;
  }

  /** @throws Invalid when a metadata value does not match its declared type, or a rule cannot run. */
  private async check({ metadata, metadata_types: declared, rules }: IngestFields): Promise<TypedMetadata> {
    await this.ingestion.requireRunnable(rules ?? [], ['body', 'rules']);
    return typeMetadata({
      metadata,
      declared,
      loc: ['body', 'metadata'],
      typesLoc: ['body', 'metadata_types'],
    });
  }

  /** @param file a file in the object store; the caller discards it if this method fails. */
  private async createFrom(scope: Scope, file: UploadedFile, fields: IngestFields): Promise<DocumentRow> {
    const filename = fields.filename ?? file.filename;
    await this.usable.require(file, filename);
    const row = await this.unlessStored(
      scope,
      fields,
      () => this.createFile(scope, { ...file, filename }, fields),
      ({ external_id: id }) => this.fileUpdates.replace(scope, id, { ...file, filename }, fields),
    );
    if (row.external_id !== file.documentId) await this.sources.discard(scope, file);
    return row;
  }

  /**
   * @param create adds a document
   * @param update makes a version of the document that has the same content
   * @throws Conflict for a duplicate, if the request asks for this
   */
  private async unlessStored(
    scope: Scope,
    { on_duplicate: mode, access_control: lists }: IngestFields,
    create: () => Promise<DocumentRow>,
    update: (document: DocumentRow) => Promise<DocumentRow>,
  ): Promise<DocumentRow> {
    if (mode === 'version' && lists !== null) {
      throw Invalid.at(
        ['body', 'access_control'],
        'Value error, a new version keeps the access of its document',
      );
    }
    try {
      return await create();
    } catch (error) {
      if (!(error instanceof DuplicateFound)) throw error;
      const { document } = error;
      touches(scope, 'document', document.external_id, document);
      if (mode === 'return') return document;
      if (mode === 'version') return update(document);
      throw alreadyStored(document);
    }
  }

  private async createFile(scope: Scope, file: UploadedFile, fields: IngestFields): Promise<DocumentRow> {
    const { documentId, key, declaredType, filename } = file;
    const source: Source = { kind: 'file', key, filename, declaredType };
    return this.create(scope, fields, {
      ...(await this.check(fields)),
      documentId,
      content: { stored: file, source },
      filename,
      contentType: declaredType,
    });
  }

  private async create(
    scope: Scope,
    fields: IngestFields,
    { documentId, content, filename, contentType, metadata, metadataTypes }: NewSource,
  ): Promise<DocumentRow> {
    const { folder_name: folder, end_user_id: named, access_control: given } = fields;
    const lists = given === null ? null : changedLists(null, given);
    const endUserId = actingEndUser(scope, named, ['body', 'end_user_id']);
    const rules = withDeclaredTypes(fields.rules ?? [], fields.metadata_types);
    const sum = typeof content === 'string' ? sumOfText(content) : content.stored.sha256;
    const row = await this.dataSource.transaction(async (manager) => {
      if (fields.on_duplicate !== null) {
        await this.duplicates.refuse(manager, scope, sum, { folder, endUserId });
      }
      const place = folder === null ? null : await this.folders.ensureFor(manager, scope, folder, documentId);
      const inserted = await this.documents.insert(manager, scope, {
        externalId: documentId,
        contentType,
        filename,
        metadata,
        metadataTypes,
        storageFiles:
          typeof content === 'string'
            ? []
            : [{ ...storedFileOf(content.stored, filename, contentType), version: 1 }],
        sourceSum: sum,
        folder: place,
        endUserId,
        access: place === null ? lists : placedLists(scope, place, lists),
        useColpali: fields.use_colpali ?? false,
        progress: progressAt('queued', 0),
      });
      const { source, size } = await this.keep(manager, scope, documentId, content);
      const counted = { ...scope, endUserId };
      await this.quotas.take(manager, counted, 'documents', 1);
      await this.quotas.take(manager, counted, 'bytes', size);
      const payload = { source, update: null, ...(rules.length === 0 ? {} : { rules }) };
      await this.jobs.enqueue(manager, scope, documentId, payload, size);
      return inserted;
    });
    this.jobs.notify();
    return row;
  }

  private async keep(
    manager: Queryable,
    scope: Scope,
    documentId: string,
    content: NewSource['content'],
  ): Promise<{ readonly source: Source; readonly size: number }> {
    if (typeof content === 'string') {
      await this.texts.put(manager, scope, documentId, content);
      return { source: { kind: 'posted' }, size: Buffer.byteLength(content) };
    }
    const { stored, source } = content;
    await this.sources.keep(manager, scope, stored);
    return { source, size: stored.size };
  }
}

function sentenceOf(error: LecternError): string {
  if (!(error instanceof Invalid)) return error.message;
  return error.items.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; ');
}
