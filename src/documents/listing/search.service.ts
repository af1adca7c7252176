import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { FilenameSearchRepository } from '../../corpus/filename-search.repository.js';
import { recordOf, type DocumentRecord } from '../document-record.js';
import type { SearchRequest } from './search.dto.js';

/** Finds documents by their file names. */
@Injectable()
export class SearchService {
  constructor(private readonly names: FilenameSearchRepository) {}

  async search(scope: Scope, { selection, text, limit }: SearchRequest): Promise<DocumentRecord[]> {
    const rows = await this.names.search(scope, selection, text, limit);
    return rows.map(recordOf);
  }
}
