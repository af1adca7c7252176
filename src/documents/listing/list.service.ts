import { Injectable } from '@nestjs/common';
import type { Scope } from '../../auth/scope.js';
import { DocumentRepository, type SortKey } from '../../corpus/document.repository.js';
import { DocumentTextRepository } from '../../corpus/document-text.repository.js';
import type { DocumentSelection } from '../../filters/document-predicate.js';
import { recordOf, type DocumentRecord } from '../document-record.js';
import { project } from './projection.js';

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

const TEXT_FIELD = 'system_metadata.content';

/** Lists documents: a window, counts, and only the fields that are asked for. */
@Injectable()
export class ListService {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly texts: DocumentTextRepository,
  ) {}

  async list(scope: Scope, request: ListRequest): Promise<DocumentList> {
    const { selection, skip, limit } = request;
    // One row more than asked for tells whether there are more, without counting.
    const rows = await this.documents.list(scope, selection, {
      skip,
      limit: limit + 1,
      sortBy: request.sortBy,
      descending: request.descending,
    });
    const shown = request.returnDocuments ? rows.slice(0, limit) : [];
    const records = shown.map(recordOf);
    const more = rows.length > limit;
    const statuses =
      request.includeStatusCounts || request.includeTotalCount
        ? await this.documents.countBy(scope, selection, 'status')
        : null;
    const folders = request.includeFolderCounts
      ? await this.documents.countBy(scope, selection, 'folder_path')
      : null;
    return {
      documents: await this.projected(scope, records, request.fields),
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

  private async projected(
    scope: Scope,
    records: readonly DocumentRecord[],
    fields: readonly string[] | null,
  ): Promise<object[]> {
    if (fields === null) return [...records];
    const wantsText = fields.includes(TEXT_FIELD);
    const texts = wantsText
      ? await this.texts.find(
          scope,
          records.map(({ external_id }) => external_id),
        )
      : new Map<string, string>();
    return records.map((record) => {
      const text = texts.get(record.external_id);
      const whole = wantsText
        ? { ...record, system_metadata: { ...record.system_metadata, content: text ?? '' } }
        : record;
      return project(whole, ['external_id', ...fields]);
    });
  }
}

function total(counts: ReadonlyMap<string | null, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
