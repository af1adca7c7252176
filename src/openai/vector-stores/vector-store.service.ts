import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { requireMay } from '../../access/may.js';
import type { Scope } from '../../auth/scope.js';
import { FolderDocumentsRepository } from '../../corpus/folder-documents.repository.js';
import { FolderRepository } from '../../corpus/folder.repository.js';
import {
  VectorStoreRepository,
  type FileCount,
  type VectorStoreRow,
} from '../../corpus/vector-stores/vector-store.repository.js';
import { DocumentRemoval } from '../../documents/document-removal.js';
import { newDocumentId } from '../../documents/files/source-store.js';
import { BadRequest } from '../../errors/index.js';
import { isMadeAsStore, storePath, STORES_FOLDER } from '../../filters/store-folders.js';
import { FolderTreeService } from '../../folders/folder-tree.service.js';
import { FileBatchService } from '../batches/file-batch.service.js';
import { type CursorQuery, placesById, windowIn } from '../cursor-list.js';
import { idOf, knownUuid, notFound } from '../ids.js';
import { UsageBytes } from '../usage-bytes.js';
import {
  toVectorStoreDto,
  type CreateVectorStoreRequest,
  type UpdateVectorStoreRequest,
  type VectorStoreDto,
} from './vector-store.dto.js';
import { Quotas } from '../../quotas/quotas.service.js';

/** Vector stores. Every folder is a vector store. Stores that are created under /v1 are subfolders of one folder. */
@Injectable()
export class VectorStoreService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly stores: VectorStoreRepository,
    private readonly folders: FolderRepository,
    private readonly folderDocuments: FolderDocumentsRepository,
    private readonly folderTree: FolderTreeService,
    private readonly removal: DocumentRemoval,
    private readonly batches: FileBatchService,
    private readonly usage: UsageBytes,
    private readonly quotas: Quotas,
  ) {}

  /** @throws NotFound for an unknown file. */
  async create(scope: Scope, request: CreateVectorStoreRequest): Promise<VectorStoreDto> {
    const { name, description, metadata, file_ids: fileIds, chunking_strategy: chunking } = request;
    const folderId = newDocumentId();
    const path = storePath(idOf('store', folderId));
    const files = await this.batches.filesOf(scope, fileIds ?? [], { attributes: null, chunking });
    const begin = await this.dataSource.transaction(async (manager) => {
      await this.folders.ensure(manager, scope, STORES_FOLDER);
      await this.stores.insert(
        manager,
        scope,
        { id: folderId, path },
        { name, description, metadata, expiresAfterDays: request.expires_after?.days ?? null },
      );
      await this.quotas.take(manager, scope, 'folders', 1);
      await this.quotas.take(manager, scope, 'stores', 1);
      return files.length === 0 ? undefined : this.batches.insert(manager, scope, folderId, files);
    });
    begin?.();
    return this.get(scope, idOf('store', folderId));
  }

  /** @throws Invalid for an unknown cursor. */
  async list(
    scope: Scope,
    query: CursorQuery,
  ): Promise<{ readonly data: VectorStoreDto[]; readonly hasMore: boolean }> {
    const window = await windowIn(
      query,
      placesById('store', (id) => this.stores.find(scope, id)),
    );
    const { rows, hasMore } = await this.stores.list(scope, window);
    return { data: await this.described(scope, rows), hasMore };
  }

  /** @throws NotFound */
  async get(scope: Scope, id: string): Promise<VectorStoreDto> {
    const [described] = await this.described(scope, [await this.find(scope, id)]);
    if (described === undefined) throw notFound('store', id);
    return described;
  }

  /**
   * @throws NotFound; Forbidden if the key may not change the store or, because an expiry would remove them, one of its
   *   documents; BadRequest if the request sets an expiry of an ordinary folder.
   */
  async update(
    scope: Scope,
    id: string,
    { name, metadata, expires_after: expiresAfter }: UpdateVectorStoreRequest,
  ): Promise<VectorStoreDto> {
    const store = await this.find(scope, id);
    if (expiresAfter !== undefined && expiresAfter !== null && !isMadeAsStore(store)) {
      throw new BadRequest(`The vector store is the folder ${store.path}, which does not expire`);
    }
    const action = expiresAfter === undefined ? 'write' : 'manage';
    requireMay(scope, action, store, 'vector store');
    await this.folderDocuments.requireChangeable(this.dataSource, scope, [store.id], action);
    await this.stores.write(this.dataSource, scope, store.id, {
      name: name === undefined ? store.name : name,
      description: null,
      metadata: metadata === undefined ? store.metadata : metadata,
      expiresAfterDays: expiresAfter === undefined ? store.expiresAfterDays : (expiresAfter?.days ?? null),
    });
    return this.get(scope, id);
  }

  /**
   * Deletes a store and its documents, but not the uploaded files.
   * @throws NotFound; Forbidden as for `update`; BadRequest for an ordinary folder, because its documents do not come
   *   from uploaded files.
   */
  async delete(scope: Scope, id: string): Promise<void> {
    const { id: folderId, path } = await this.find(scope, id);
    if (!isMadeAsStore({ path })) {
      throw new BadRequest(
        `The vector store is the folder ${path}, not created as a vector store: delete it with DELETE /folders${path}`,
      );
    }
    await this.folderTree.delete(scope, { id: folderId, path }, true);
  }

  /** Removes the documents of an expired store. The store remains, and remains expired. */
  async empty(scope: Scope, folderId: string): Promise<void> {
    const files = await this.dataSource.transaction(async (manager) => {
      await this.folders.lockAlone(manager, scope);
      // Checks the expiry again, because the store may have been used since the query for expired stores.
      if ((await this.stores.find(scope, folderId, manager))?.isExpired !== true) return [];
      await this.stores.markEmptied(manager, scope, folderId);
      const ids = await this.folderDocuments.lock(manager, scope, [folderId]);
      return this.removal.remove(manager, scope, ids);
    });
    await this.removal.deleteFiles(files);
  }

  /** Returns the store, expired or not. @throws NotFound */
  async find(scope: Scope, id: string): Promise<VectorStoreRow> {
    const store = await this.stores.find(scope, knownUuid('store', id));
    if (store === null) throw notFound('store', id);
    return store;
  }

  private async described(scope: Scope, stores: readonly VectorStoreRow[]): Promise<VectorStoreDto[]> {
    if (stores.length === 0) return [];
    const counts = await this.stores.countFiles(
      scope,
      stores.map(({ id }) => id),
    );
    return stores.map((store) => {
      const own = counts.filter(({ id }) => id === store.id);
      return toVectorStoreDto(
        { ...store, name: store.name ?? nameOf(store) },
        own,
        this.usage.of(sumOf(own)),
      );
    });
  }
}

function nameOf(store: VectorStoreRow): string | null {
  return isMadeAsStore(store) ? null : store.path;
}

function sumOf(counts: readonly FileCount[]): { readonly textLength: number; readonly chunks: number } {
  return {
    textLength: counts.reduce((sum, { textLength }) => sum + textLength, 0),
    chunks: counts.reduce((sum, { chunks }) => sum + chunks, 0),
  };
}
