import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import {
  StoreFileRepository,
  type StoreFileRow,
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

/** Pages of the files of a store or of a batch. */
@Injectable()
export class StoreFileList {
  constructor(
    private readonly storeFiles: StoreFileRepository,
    private readonly usage: UsageBytes,
  ) {}

  /** @throws Invalid for an unknown cursor. */
  async page(
    scope: Scope,
    selection: StoreFileSelection,
    query: StoreFilesQuery,
  ): Promise<{ readonly data: StoreFileDto[]; readonly hasMore: boolean }> {
    const { limit, order, filter } = query;
    const status = filter === null ? null : documentStatusOf(filter);
    if (status === undefined) return { data: [], hasMore: false };
    const after = await this.cursor(scope, selection, query, 'after');
    const before = await this.cursor(scope, selection, query, 'before');
    const window = { limit, order, after, before };
    const { rows, hasMore } = await this.storeFiles.list(scope, { ...selection, status }, window);
    const data = rows.map((file) => {
      return toStoreFileDto(file, this.usage.of({ textLength: file.textLength, chunks: file.chunkCount }));
    });
    return { data, hasMore };
  }

  private async cursor(
    scope: Scope,
    selection: StoreFileSelection,
    query: StoreFilesQuery,
    name: 'after' | 'before',
  ): Promise<StoreFileRow | null> {
    const id = query[name];
    if (id === null) return null;
    const fileId = uuidIn('file', id);
    const file = fileId === undefined ? null : await this.storeFiles.find(scope, { ...selection, fileId });
    if (file === null) throw unknownCursor(['query', name], id);
    return file;
  }
}
