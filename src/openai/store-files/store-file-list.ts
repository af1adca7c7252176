import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import type { Position } from '../../corpus/vector-stores/creation-window.js';
import { DetachedFilesRepository } from '../../corpus/vector-stores/detached-files.repository.js';
import {
  StoreFileRepository,
  type StoreFileSelection,
} from '../../corpus/vector-stores/store-file.repository.js';
import { unknownCursor, uuidIn } from '../ids.js';
import { UsageBytes } from '../usage-bytes.js';
import {
  documentStatusOf,
  toStoreFileDto,
  type StoreFileDto,
  type StoreFilesQuery,
} from './store-file.dto.js';

@Injectable()
export class StoreFileList {
  constructor(
    private readonly storeFiles: StoreFileRepository,
    private readonly detached: DetachedFilesRepository,
    private readonly usage: UsageBytes,
  ) {}

  /**
   * @param storeId id of the store's folder
   * @throws Invalid for an unknown cursor.
   */
  async page(
    scope: Scope,
    storeId: string,
    selection: StoreFileSelection,
    query: StoreFilesQuery,
  ): Promise<{ readonly data: StoreFileDto[]; readonly hasMore: boolean }> {
    const { limit, order, filter } = query;
    const status = filter === null ? null : documentStatusOf(filter);
    if (status === undefined) return { data: [], hasMore: false };
    const after = await this.cursor(scope, storeId, selection, query, 'after');
    const before = await this.cursor(scope, storeId, selection, query, 'before');
    const window = { limit, order, after, before };
    const { rows, hasMore } = await this.storeFiles.list(scope, { ...selection, status }, window);
    const data = rows.map((file) => {
      return toStoreFileDto(file, this.usage.of({ textLength: file.textLength, chunks: file.chunkCount }));
    });
    return { data, hasMore };
  }

  private async cursor(
    scope: Scope,
    storeId: string,
    selection: StoreFileSelection,
    query: StoreFilesQuery,
    name: 'after' | 'before',
  ): Promise<Position | null> {
    const id = query[name];
    if (id === null) return null;
    const fileId = uuidIn('file', id);
    const place = fileId === undefined ? null : await this.place(scope, storeId, selection, fileId);
    if (place === null) throw unknownCursor(['query', name], id);
    return place;
  }

  /** The position of a file in the list, also of a file that has been removed. */
  private async place(
    scope: Scope,
    storeId: string,
    selection: StoreFileSelection,
    fileId: string,
  ): Promise<Position | null> {
    const file = await this.storeFiles.find(scope, { ...selection, fileId });
    if (file !== null) return file;
    return this.detached.find(scope, storeId, fileId);
  }
}
