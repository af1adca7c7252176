import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { ChunkSizes } from '#reader';
import { requireMay } from '../../access/may.js';
import { placedLists } from '../../access/placed-lists.js';
import type { Scope } from '../../auth/scope.js';
import { VectorStoreRepository } from '../../corpus/vector-stores/vector-store.repository.js';
import { newDocumentId } from '../../documents/files/source-store.js';
import { BadRequest } from '../../errors/index.js';
import { metadataOf, type Attributes } from '../attributes.js';
import { FileRepository } from '../../corpus/vector-stores/file.repository.js';
import { knownUuid, notFound } from '../ids.js';
import { StoreFileList } from '../store-files/store-file-list.js';
import type { StoreFileDto, StoreFilesQuery } from '../store-files/store-file.dto.js';
import { toFileCounts } from '../vector-stores/vector-store.dto.js';
import { toFileBatchDto, type CreateFileBatchRequest, type FileBatchDto } from './file-batch.dto.js';
import {
  FileBatchRepository,
  type BatchFile,
  type FileBatchRow,
} from '../../corpus/vector-stores/file-batch.repository.js';
import { FileBatchWorker } from './file-batch-worker.js';

interface Defaults {
  readonly attributes: Attributes | null;
  readonly chunking: ChunkSizes | null;
}

@Injectable()
export class FileBatchService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly batches: FileBatchRepository,
    private readonly files: FileRepository,
    private readonly stores: VectorStoreRepository,
    private readonly lists: StoreFileList,
    private readonly worker: FileBatchWorker,
  ) {}

  /**
   * @throws NotFound for an unknown store or file; Forbidden if the lists of the store do not let the key add to it;
   *   BadRequest for a store that has expired.
   */
  async create(scope: Scope, storeId: string, request: CreateFileBatchRequest): Promise<FileBatchDto> {
    const folderId = knownUuid('store', storeId);
    const store = await this.stores.find(scope, folderId);
    if (store === null) throw notFound('store', storeId);
    placedLists(scope, store, null);
    if (store.isExpired) throw new BadRequest(`The vector store ${storeId} has expired`);
    const files = await this.filesOfRequest(scope, request);
    const begin = await this.dataSource.transaction((manager) =>
      this.insert(manager, scope, folderId, files),
    );
    const batch = begin();
    await this.stores.touch(scope, [folderId]);
    return this.described(scope, batch);
  }

  private async filesOfRequest(scope: Scope, request: CreateFileBatchRequest): Promise<BatchFile[]> {
    const { file_ids: ids, files, attributes, chunking_strategy: chunking } = request;
    if (files === null) return this.filesOf(scope, ids ?? [], { attributes, chunking });
    return this.known(
      scope,
      files.map(({ file_id, attributes: own, chunking_strategy: sizes }) => ({
        file_id,
        attributes: own,
        chunking: sizes,
      })),
    );
  }

  /** Returns the files to attach, each once. @throws NotFound if a file is unknown. */
  filesOf(scope: Scope, ids: readonly string[], defaults: Defaults): Promise<BatchFile[]> {
    return this.known(
      scope,
      ids.map((id) => ({ file_id: id, ...defaults })),
    );
  }

  private async known(
    scope: Scope,
    files: readonly (Defaults & { readonly file_id: string })[],
  ): Promise<BatchFile[]> {
    const byId = new Map<string, BatchFile>();
    for (const { file_id: id, attributes, chunking } of files) {
      const fileId = knownUuid('file', id);
      const metadata = attributes === null ? null : metadataOf(attributes);
      byId.set(fileId, { fileId, metadata, chunking });
    }
    const known = await this.files.known(scope, [...byId.keys()]);
    const unknown = files.find(({ file_id: id }) => !known.has(knownUuid('file', id)));
    if (unknown !== undefined) throw notFound('file', unknown.file_id);
    return [...byId.values()];
  }

  /**
   * Stores a batch in the transaction of `manager`.
   * @returns a function that starts the work, to be called after the commit
   */
  async insert(
    manager: EntityManager,
    scope: Scope,
    folderId: string,
    files: readonly BatchFile[],
  ): Promise<() => FileBatchRow> {
    const batch = await this.batches.insert(manager, scope, { id: newDocumentId(), folderId }, files);
    return () => {
      this.worker.begin(scope, batch.id);
      return batch;
    };
  }

  /** @throws NotFound */
  async get(scope: Scope, storeId: string, batchId: string): Promise<FileBatchDto> {
    return this.described(scope, await this.find(scope, storeId, batchId));
  }

  /** Cancels pending files; ingestion of attached files continues. @throws NotFound; Forbidden */
  async cancel(scope: Scope, storeId: string, batchId: string): Promise<FileBatchDto> {
    const batch = await this.find(scope, storeId, batchId);
    requireMay(scope, 'write', batch, 'file batch');
    await this.batches.cancel(scope, batch.id);
    return this.get(scope, storeId, batchId);
  }

  /** @throws NotFound; Invalid for an unknown cursor. */
  async list(
    scope: Scope,
    storeId: string,
    batchId: string,
    query: StoreFilesQuery,
  ): Promise<{ readonly data: StoreFileDto[]; readonly hasMore: boolean }> {
    const { id, folderId } = await this.find(scope, storeId, batchId);
    return this.lists.page(scope, folderId, { batchId: id }, query);
  }

  private async find(scope: Scope, storeId: string, id: string): Promise<FileBatchRow> {
    const folderId = knownUuid('store', storeId);
    if ((await this.stores.find(scope, folderId)) === null) throw notFound('store', storeId);
    const batch = await this.batches.find(scope, knownUuid('batch', id), folderId);
    if (batch === null) throw notFound('batch', id);
    return batch;
  }

  private async described(scope: Scope, batch: FileBatchRow): Promise<FileBatchDto> {
    return toFileBatchDto(batch, toFileCounts(await this.stores.countBatch(scope, batch.id)));
  }
}
