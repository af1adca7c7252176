import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { DetachedFilesRepository } from '../../corpus/vector-stores/detached-files.repository.js';
import {
  StoreFileRepository,
  type StoreFileSelection,
} from '../../corpus/vector-stores/store-file.repository.js';
import { type Places, windowIn } from '../cursor-list.js';
import { uuidIn } from '../ids.js';
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
    const { filter } = query;
    const status = filter === null ? null : documentStatusOf(filter);
    if (status === undefined) return { data: [], hasMore: false };
    const window = await windowIn(query, this.places(scope, storeId, selection));
    const { rows, hasMore } = await this.storeFiles.list(scope, { ...selection, status }, window);
    const data = rows.map((file) => {
      return toStoreFileDto(file, this.usage.of({ textLength: file.textLength, chunks: file.chunkCount }));
    });
    return { data, hasMore };
  }

  private places(scope: Scope, storeId: string, selection: StoreFileSelection): Places {
    return {
      present: async (id) => {
        const fileId = uuidIn('file', id);
        return fileId === undefined ? null : this.storeFiles.find(scope, { ...selection, fileId });
      },
      former: async (id) => {
        const fileId = uuidIn('file', id);
        return fileId === undefined ? null : this.detached.find(scope, storeId, fileId);
      },
    };
  }
}
