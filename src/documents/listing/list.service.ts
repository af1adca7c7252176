import { Injectable } from '@nestjs/common';
import { touches } from '../../access/touches.js';
import type { Scope } from '../../auth/scope.js';
import type { DocumentStatus } from '../../corpus/document-row.js';
import { DocumentListRepository } from '../../corpus/document-list.repository.js';
import { DocumentRepository } from '../../corpus/document.repository.js';
import { FilenameSearchRepository } from '../../corpus/filename-search.repository.js';
import { Invalid } from '../../errors/index.js';
import type { DocumentSelection } from '../../filters/document-predicate.js';
import { recordOf } from '../document-record.js';
import type { DocumentDto } from '../document.dto.js';
import type { DocumentListDto, ListDocumentsRequest } from './list.dto.js';
import { asksForText, projectedRecord } from './projection.js';

const DEFAULT_WINDOW = 100;

/** Lists documents (page, counts, field selection) and searches them by file name. */
@Injectable()
export class ListService {
  constructor(
    private readonly documents: DocumentRepository,
    private readonly listed: DocumentListRepository,
    private readonly names: FilenameSearchRepository,
  ) {}

  /**
   * @param within restricts folders, end user and ids, in addition to the filters of the request
   * @throws Invalid when `completed_only` and `status` contradict each other, and for `shared_with_me` without a person.
   */
  async list(
    scope: Scope,
    request: Partial<ListDocumentsRequest>,
    within: DocumentSelection,
  ): Promise<DocumentListDto> {
    const { fields = null } = request;
    const filter = request.filters ?? request.document_filters ?? null;
    const [skip, limit] = [request.skip ?? 0, request.limit ?? DEFAULT_WINDOW];
    const selection: DocumentSelection = {
      ...within,
      filter,
      status: wantedStatus(request),
      sharedByName: wantsShared(scope, request),
    };
    const page = {
      skip,
      // One extra row shows whether more documents follow, without counting.
      limit: limit + 1,
      sortBy: request.sort_by ?? 'updated_at',
      descending: request.sort_direction !== 'asc',
    } as const;
    const isShown = request.return_documents !== false;
    const rows =
      isShown && asksForText(fields)
        ? await this.listed.listWithText(scope, selection, page)
        : await this.listed.list(scope, selection, page);
    const shown = isShown ? rows.slice(0, limit) : [];
    const more = rows.length > limit;
    const { include_total_count: asksTotal, include_status_counts: asksStatuses } = request;
    const statuses =
      asksTotal === true || asksStatuses === true
        ? await this.listed.countBy(scope, selection, 'status')
        : null;
    const folders =
      request.include_folder_counts === true
        ? await this.listed.countBy(scope, selection, 'folder_path')
        : null;
    return {
      documents: shown.map((row) => projectedRecord(scope, row, fields)),
      skip,
      limit,
      returned_count: shown.length,
      total_count: asksTotal === true && statuses !== null ? total(statuses) : null,
      has_more: more,
      next_skip: more ? skip + limit : null,
      status_counts:
        asksStatuses === true && statuses !== null
          ? Object.fromEntries([...statuses].map(([status, count]) => [String(status), count]))
          : null,
      folder_counts: folders === null ? null : [...folders].map(([folder, count]) => ({ folder, count })),
    };
  }

  /**
   * Returns the documents with these ids that belong to the selection. Returns each document once, in the order in
   * which `ids` first names it.
   */
  async named(scope: Scope, ids: readonly string[], within: DocumentSelection): Promise<DocumentDto[]> {
    const byId = await this.documents.listById(scope, ids, within);
    return [...new Set(ids.map((id) => id.toLowerCase()))].flatMap((id) => {
      const row = byId.get(id);
      if (row === undefined) return [];
      touches(scope, 'document', row.external_id, row);
      return [recordOf(scope, row)];
    });
  }

  /** Returns documents whose file name contains a text, best match first. */
  async search(scope: Scope, text: string, within: DocumentSelection, limit: number): Promise<DocumentDto[]> {
    return (await this.names.search(scope, within, text, limit)).map((row) => recordOf(scope, row));
  }
}

/** @throws Invalid when `completed_only` and `status` contradict each other. */
function wantedStatus({
  completed_only: completedOnly,
  status = null,
}: Partial<ListDocumentsRequest>): DocumentStatus | null {
  if (completedOnly !== true) return status;
  if (status === null || status === 'completed') return 'completed';
  throw Invalid.at(['body', 'status'], `Value error, completed_only excludes documents that are ${status}`);
}

/** @throws Invalid if the request acts for nobody: an application or an administrator reads everything. */
function wantsShared({ reach }: Scope, { shared_with_me: isAsked }: Partial<ListDocumentsRequest>): boolean {
  if (isAsked === true && reach === 'all') {
    throw Invalid.at(
      ['body', 'shared_with_me'],
      'Value error, nothing is shared with a key that reads everything: use the key of a person, or name groups',
    );
  }
  return isAsked === true;
}

function total(counts: ReadonlyMap<string | null, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
