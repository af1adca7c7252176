import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { requireMay } from '../../access/may.js';
import { type Scope, shardOf } from '../../auth/scope.js';
import { DocumentTextRepository } from '../../corpus/document-text.repository.js';
import { StoreFileRepository, type StoreFileRow } from '../../corpus/vector-stores/store-file.repository.js';
import { DetachedFilesRepository } from '../../corpus/vector-stores/detached-files.repository.js';
import { VectorStoreRepository } from '../../corpus/vector-stores/vector-store.repository.js';
import { DocumentRemoval } from '../../documents/document-removal.js';
import { UpdateMetadataService } from '../../documents/update/update-metadata.service.js';
import { BadRequest } from '../../errors/index.js';
import { JobQueue } from '../../ingestion/job-queue.js';
import { metadataOf, typed, type Attributes } from '../attributes.js';
import { FileBatchRepository } from '../../corpus/vector-stores/file-batch.repository.js';
import { knownUuid, notFound } from '../ids.js';
import { UsageBytes } from '../usage-bytes.js';
import { VectorStoreService } from '../vector-stores/vector-store.service.js';
import { AttachmentService } from './attachment.service.js';
import {
  toStoreFileDto,
  type AttachFileRequest,
  type StoreFileDto,
  type StoreFilesQuery,
} from './store-file.dto.js';
import { StoreFileList } from './store-file-list.js';

@Injectable()
export class StoreFileService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly storeService: VectorStoreService,
    private readonly stores: VectorStoreRepository,
    private readonly storeFiles: StoreFileRepository,
    private readonly lists: StoreFileList,
    private readonly detached: DetachedFilesRepository,
    private readonly attachments: AttachmentService,
    private readonly batches: FileBatchRepository,
    private readonly texts: DocumentTextRepository,
    private readonly metadata: UpdateMetadataService,
    private readonly removal: DocumentRemoval,
    private readonly jobs: JobQueue,
    private readonly usage: UsageBytes,
  ) {}

  /** @throws NotFound for an unknown store or file; BadRequest for a store that has expired. */
  async attach(scope: Scope, storeId: string, request: AttachFileRequest): Promise<StoreFileDto> {
    const { id: folderId } = await this.storeService.find(scope, storeId);
    const { file_id: fileId, attributes, chunking_strategy: chunking } = request;
    const metadata = attributes === null ? null : metadataOf(attributes);
    const file = { fileId: knownUuid('file', fileId), metadata, chunking };
    await this.dataSource.transaction((manager) =>
      this.attachments.attach(manager, scope, folderId, file, null),
    );
    this.jobs.notify();
    await this.stores.touch(scope, [folderId]);
    return this.get(scope, storeId, fileId);
  }

  /** @throws NotFound for an unknown store; Invalid for an unknown cursor. */
  async list(
    scope: Scope,
    storeId: string,
    query: StoreFilesQuery,
  ): Promise<{ readonly data: StoreFileDto[]; readonly hasMore: boolean }> {
    const { id: folderId } = await this.storeService.find(scope, storeId);
    return this.lists.page(scope, folderId, { folderId }, query);
  }

  /** @throws NotFound */
  async get(scope: Scope, storeId: string, fileId: string): Promise<StoreFileDto> {
    return this.shown(await this.find(scope, storeId, fileId));
  }

  /**
   * Replaces the attributes of a file; null removes them all.
   * @throws NotFound; Forbidden; BadRequest for a document that was not attached as a file.
   */
  async describe(
    scope: Scope,
    storeId: string,
    fileId: string,
    attributes: Attributes | null,
  ): Promise<StoreFileDto> {
    const metadata = metadataOf(attributes ?? {});
    for (;;) {
      const file = await this.find(scope, storeId, fileId);
      requireMay(scope, 'write', file);
      const { id, folderId, documentId, isAttached } = file;
      if (documentId === null) {
        // A missing entry means that the file was attached in the meantime, so the loop tries again.
        if (!(await this.batches.describe(scope, folderId, id, metadata))) continue;
      } else {
        if (!isAttached) throw otherDocument(documentId, `POST /documents/${documentId}/update_metadata`);
        await this.dataSource.transaction((manager) =>
          this.metadata.replace(manager, scope, documentId, typed(metadata)),
        );
      }
      return this.get(scope, storeId, fileId);
    }
  }

  /**
   * Removes a file from a store and deletes its document, but not the uploaded file.
   * @throws NotFound; Forbidden; BadRequest for a document that was not attached as a file.
   */
  async detach(scope: Scope, storeId: string, fileId: string): Promise<void> {
    for (;;) {
      const file = await this.find(scope, storeId, fileId);
      requireMay(scope, 'manage', file);
      const { id, folderId, documentId, isAttached } = file;
      if (documentId === null) {
        await this.detached.keepWaiting(this.dataSource, scope, id);
        if (!(await this.batches.dropFromStore(scope, folderId, id))) continue;
        return;
      }
      if (!isAttached) throw otherDocument(documentId, `DELETE /documents/${documentId}`);
      await this.removal.delete(scope, documentId);
      return;
    }
  }

  /** Returns the extracted text of a file; null before its ingestion is completed. @throws NotFound */
  async text(scope: Scope, storeId: string, fileId: string): Promise<string | null> {
    const { documentId, status } = await this.find(scope, storeId, fileId);
    if (documentId === null || status !== 'completed') return null;
    const texts = await this.texts.whole(shardOf(scope, documentId), [documentId]);
    return texts.get(documentId) ?? '';
  }

  private async find(scope: Scope, storeId: string, id: string): Promise<StoreFileRow> {
    const { id: folderId } = await this.storeService.find(scope, storeId);
    const fileId = knownUuid('file', id);
    const file = await this.storeFiles.find(scope, { folderId, fileId });
    if (file === null) throw notFound('file', id);
    return file;
  }

  private shown(file: StoreFileRow): StoreFileDto {
    return toStoreFileDto(file, this.usage.of({ textLength: file.textLength, chunks: file.chunkCount }));
  }
}

function otherDocument(documentId: string, way: string): BadRequest {
  return new BadRequest(
    `This entry is the document ${documentId}, which was not attached as a file: use ${way}`,
  );
}
