import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { requireMay } from '../../access/may.js';
import { touches } from '../../access/touches.js';
import type { Scope } from '../../auth/scope.js';
import { DetachedFilesRepository } from '../../corpus/vector-stores/detached-files.repository.js';
import { FileBatchRepository } from '../../corpus/vector-stores/file-batch.repository.js';
import { FileRepository } from '../../corpus/vector-stores/file.repository.js';
import { StoreFileRepository } from '../../corpus/vector-stores/store-file.repository.js';
import { prefixedId, STORE_PREFIXES } from '../../corpus/vector-stores/store-ids.js';
import { ObjectTombstones } from '../../ingestion/object-tombstones.js';
import { DocumentRemoval } from '../document-removal.js';
import { documentPrefix } from './source-store.js';

/** Deletes files that were uploaded by the OpenAI protocol. */
@Injectable()
export class UploadedFileRemoval {
  constructor(
    private readonly dataSource: DataSource,
    private readonly files: FileRepository,
    private readonly storeFiles: StoreFileRepository,
    private readonly batches: FileBatchRepository,
    private readonly detached: DetachedFilesRepository,
    private readonly documents: DocumentRemoval,
    private readonly tombstones: ObjectTombstones,
  ) {}

  /**
   * Deletes a file, expired or not.
   * @param documents what becomes of its documents in vector stores. Documents that are kept share the bytes, which are
   * deleted with the last of them.
   * @returns whether it existed
   * @throws Forbidden if the key may not change the file, or one of the documents to delete
   */
  async remove(scope: Scope, id: string, documents: 'delete' | 'keep' = 'delete'): Promise<boolean> {
    const object = { appId: scope.appId, key: documentPrefix(scope.appId, id) };
    const removed = await this.dataSource.transaction(async (manager) => {
      // Locks the batch entries before the file, in the same order as the batch worker, to prevent deadlocks.
      await this.detached.keepWaiting(manager, scope, id);
      await this.batches.dropFile(manager, scope, id);
      const file = await this.files.lockToDelete(manager, scope, id);
      if (file === null) return null;
      requireMay(scope, 'manage', file, 'file');
      touches(scope, 'document', prefixedId(STORE_PREFIXES.file, id), file);
      await this.files.delete(manager, scope, id);
      if (documents === 'keep' && (await this.storeFiles.isHeld(manager, scope, id))) return [];
      await this.tombstones.add(object, 0, manager);
      const documentIds = await this.storeFiles.lockDocumentsOf(manager, scope, id);
      return [...(await this.documents.remove(manager, scope, documentIds)), object];
    });
    if (removed === null) return false;
    await this.documents.deleteFiles(removed);
    return true;
  }
}
