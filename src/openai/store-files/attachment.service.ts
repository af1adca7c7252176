import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { ChunkSizes } from '#reader';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import { FolderRepository } from '../../corpus/folder.repository.js';
import { StoreFileRepository, type StoreFileRow } from '../../corpus/vector-stores/store-file.repository.js';
import { VectorStoreRepository } from '../../corpus/vector-stores/vector-store.repository.js';
import { DocumentRemoval } from '../../documents/document-removal.js';
import { newDocumentId } from '../../documents/files/source-store.js';
import { IngestService } from '../../documents/ingest/ingest.service.js';
import { UpdateMetadataService } from '../../documents/update/update-metadata.service.js';
import { BadRequest } from '../../errors/index.js';
import { typed } from '../attributes.js';
import type { BatchFile } from '../../corpus/vector-stores/file-batch.repository.js';
import { FileRepository } from '../../corpus/vector-stores/file.repository.js';
import { idOf, notFound } from '../ids.js';

interface OwnBatch {
  readonly id: string;
  readonly createdAt: Date;
}

/** Attaches files to stores. Each attachment is a separate document; all attachments of a file share its bytes. */
@Injectable()
export class AttachmentService {
  constructor(
    private readonly files: FileRepository,
    private readonly storeFiles: StoreFileRepository,
    private readonly stores: VectorStoreRepository,
    private readonly folders: FolderRepository,
    private readonly documents: DocumentRepository,
    private readonly ingestion: IngestService,
    private readonly metadata: UpdateMetadataService,
    private readonly removal: DocumentRemoval,
  ) {}

  /**
   * Attaches a file in the transaction of `manager`. Call `JobQueue.notify` after the commit. If the store already
   * contains the file, its document gets the new metadata, if any. A document that failed or has other chunk sizes is
   * ingested again.
   * @throws NotFound for an unknown file or store; BadRequest for a store that has expired.
   */
  async attach(
    manager: EntityManager,
    scope: Scope,
    folderId: string,
    file: BatchFile,
    batch: OwnBatch | null,
  ): Promise<void> {
    // Locks the folder tree before the file, like all other code, to prevent deadlocks. Concurrent attachments and
    // deletions of the file wait here.
    await this.folders.lockShared(manager, scope);
    const stored = await this.files.lock(manager, scope, file.fileId);
    if (stored === null) throw notFound('file', idOf('file', file.fileId));
    const store = await this.stores.find(scope, folderId, manager);
    if (store === null) throw notFound('store', idOf('store', folderId));
    if (store.isExpired) throw new BadRequest(`The vector store ${idOf('store', folderId)} has expired`);
    const held = { folderId, fileId: file.fileId, isDocument: true };
    const present = await this.storeFiles.find(scope, held, manager);
    const documentId = present?.documentId ?? null;
    if (documentId !== null && present !== null && isUsable(present, file.chunking)) {
      if (file.metadata !== null)
        await this.metadata.replace(manager, scope, documentId, typed(file.metadata));
      if (batch !== null) await this.storeFiles.moveToBatch(manager, scope, documentId, batch.id);
      return;
    }
    const { key, bucket, bytes, sha256, filename, contentType } = stored;
    const metadata = file.metadata ?? present?.metadata ?? {};
    const newId = newDocumentId();
    await this.ingestion.insertStored(manager, scope, {
      documentId: newId,
      stored: { bucket, key, size: Number(bytes), sha256 },
      filename,
      declaredType: contentType,
      folder: store,
      chunks: file.chunking ?? undefined,
      ...typed(metadata),
    });
    await this.storeFiles.attach(manager, scope, {
      documentId: newId,
      fileId: file.fileId,
      batchId: batch?.id ?? null,
      chunking: file.chunking,
      createdAt: batch?.createdAt ?? null,
    });
    // Runs last, because it locks the statistics of the tenant.
    if (documentId !== null) await this.replace(manager, scope, documentId);
  }

  private async replace(manager: EntityManager, scope: Scope, documentId: string): Promise<void> {
    const row = await this.documents.lock(manager, scope, documentId);
    if (row !== null) await this.removal.remove(manager, scope, [row.external_id]);
  }
}

/** Whether the existing document can be kept: it has not failed, and has the requested chunk sizes. */
function isUsable({ status, chunking }: StoreFileRow, wanted: ChunkSizes | null): boolean {
  return status !== 'failed' && chunking?.size === wanted?.size && chunking?.overlap === wanted?.overlap;
}
