import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository, type SortKey } from '../../corpus/document.repository.js';
import { FilenameSearchRepository } from '../../corpus/filename-search.repository.js';
import type { DocumentSelection } from '../../filters/document-predicate.js';
import { recordOf, type DocumentRecord } from '../document-record.js';
import { asksForText, projectedRecord } from './projected-record.js';
import type { SearchRequest } from './search.dto.js';

export interface ListRequest {
  readonly selection: DocumentSelection;
  readonly skip: number;
  readonly limit: number;
  readonly sortBy: SortKey;
  readonly descending: boolean;
  readonly returnDocuments: boolean;
  readonly includeTotalCount: boolean;
  readonly includeStatusCounts: boolean;
  readonly includeFolderCounts: boolean;
  /** Dot paths of the record to return; null returns it whole, without the text. */
  readonly fields: readonly string[] | null;
}

export interface DocumentList {
  readonly documents: readonly object[];
  readonly skip: number;
  readonly limit: number;
  readonly returned_count: number;
  readonly total_count: number | null;
  readonly has_more: boolean;
  readonly next_skip: number | null;
  readonly status_counts: Readonly<Record<string, number>> | null;
  readonly folder_counts: readonly { readonly folder: string | null; readonly count: number }[] | null;
}

/** Lists documents (a window, counts, and only the fields that are asked for) and finds them by their file names. */
@Injectable()
export class ListService {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly names: FilenameSearchRepository,
  ) {}

  async list(scope: Scope, request: ListRequest): Promise<DocumentList> {
    const { selection, skip, limit } = request;
    // One row more than asked for tells whether there are more, without counting.
    const page = { skip, limit: limit + 1, sortBy: request.sortBy, descending: request.descending };
    const rows = wantsText(request)
      ? await this.documents.listWithText(scope, selection, page)
      : await this.documents.list(scope, selection, page);
    const shown = request.returnDocuments ? rows.slice(0, limit) : [];
    const more = rows.length > limit;
    const statuses =
      request.includeStatusCounts || request.includeTotalCount
        ? await this.documents.countBy(scope, selection, 'status')
        : null;
    const folders = request.includeFolderCounts
      ? await this.documents.countBy(scope, selection, 'folder_path')
      : null;
    return {
      documents: shown.map((row) => projectedRecord(row, request.fields)),
      skip,
      limit,
      returned_count: shown.length,
      total_count: request.includeTotalCount && statuses !== null ? total(statuses) : null,
      has_more: more,
      next_skip: more ? skip + limit : null,
      status_counts:
        request.includeStatusCounts && statuses !== null
          ? Object.fromEntries([...statuses].map(([status, count]) => [String(status), count]))
          : null,
      folder_counts: folders === null ? null : [...folders].map(([folder, count]) => ({ folder, count })),
    };
  }

  /** The documents of a selection with these ids, each once, in the order in which they were first named. */
  async named(scope: Scope, ids: readonly string[], within: DocumentSelection): Promise<DocumentRecord[]> {
    const byId = await this.documents.listById(scope, ids, within);
    return [...new Set(ids.map((id) => id.toLowerCase()))].flatMap((id) => {
      const row = byId.get(id);
      return row === undefined ? [] : [recordOf(row)];
    });
  }

  async search(scope: Scope, { selection, text, limit }: SearchRequest): Promise<DocumentRecord[]> {
    const rows = await this.names.search(scope, selection, text, limit);
    return rows.map(recordOf);
  }
}

function wantsText({ returnDocuments, fields }: ListRequest): boolean {
  return returnDocuments && asksForText(fields);
}

function total(counts: ReadonlyMap<string | null, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
